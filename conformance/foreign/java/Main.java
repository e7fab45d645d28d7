import java.io.OutputStream;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * A framework for Java, as a subject: `java -cp <classes> Main`, PORT=9300 PROFILE=default.
 *
 * <p>Written for this suite from the document that the specification's clauses name as their source (§1 to §9): what the
 * document shows, what the RFCs demand of any server, and where both are silent the plainest thing. It has no line of the
 * framework that the document describes, and none of our decisions: what it does not keep is what a team learns from
 * our own clauses alone. It runs on the HTTP server of the JDK, 17 or newer, and needs nothing else.
 *
 * <pre>
 *   Framework      router, groups, middleware, Context, the JDK's server
 *   Observability  health, metrics, access log, tracing, request id, CORS
 *   Devtools       recorder, traces, graph, endpoints, stream
 *   Beans, Json    the container; reading and writing
 *   OrderBeans     the beans of the subject
 * </pre>
 *
 * Spec: spec/subject.md
 */
public final class Main {
  private static final Map<String, String> ENV = System.getenv();
  private static final String PROFILE = ENV.getOrDefault("PROFILE", "default");
  private static final List<String> FEATURES =
      List.of("devtools", "tracing", "metrics", "access-log", "request-id", "cors", "health-controls", "raw-path");

  private static final String BYTES = "application/octet-stream";
  private static final String EVENTS = "text/event-stream";

  private final List<Object> logs = new ArrayList<>();
  private final List<Object> spans = new ArrayList<>();
  private final InMemoryMetricsCollector metrics = new InMemoryMetricsCollector();
  private final Map<String, Check> checks = Map.of("db", new Check(), "disk", new Check());
  private final Devtools devtools = Devtools.create();

  public static void main(String[] args) throws Exception {
    Main main = new Main();
    int port = Integer.parseInt(ENV.getOrDefault("PORT", "9300"));
    int taken = Framework.start(port, Map.of("/", main.app(), "/__subject/", main.controls()));
    System.out.println("listening on http://127.0.0.1:" + taken);
  }

  private Framework app() {
    Framework app = Framework.create();
    if (!PROFILE.equals("no-request-id")) app.use(new RequestIdMiddleware());
    app.use(RequestLoggingMiddleware.json(this::logged));
    app.use(new MetricsMiddleware(metrics));
    app.use(new TracingMiddleware(this::finished));
    Beans beans = OrderBeans.bound(devtools);
    app.beans(beans);
    devtools.install(app, beans);
    app.use(cors("https://app.example"));
    Check db = checks.get("db");
    Check disk = checks.get("disk");
    app.use(HealthMiddleware.builder().path("/health").check("db", db).check("disk", disk).build());
    app.use(HealthMiddleware.builder().path("/health/live").check("disk", disk).build());
    app.use(HealthMiddleware.builder().path("/health/ready").check("db", db).build());
    app.use((ctx, next) -> {
      if (ctx.path().matches("/files/private(/.*)?")) throw new HttpError(403, "nothing here is public");
      next.run();
    });
    routes(app);
    failures(app);
    streams(app);
    return app;
  }

  private static CorsMiddleware cors(String origin) {
    CorsMiddleware.Builder builder = CorsMiddleware.builder().allowOrigins(origin);
    return (PROFILE.equals("cors-query") ? builder.allowMethods("GET", "QUERY") : builder).build();
  }

  private void routes(Framework app) {
    app.get("/users/{id}", ctx -> ctx.json(Map.of("id", ctx.pathParam("id"))));
    app.get("/users/{id}/posts/{postId}", ctx -> ctx.json(ctx.pathParams()));
    app.get("/reset/{token}", ctx -> ctx.json(Map.of("method", "GET")));
    app.get("/files/*path", ctx -> ctx.json(ctx.pathParams()));
    for (String pattern : List.of("/match/*rest", "/match/{name}/y", "/match/c/y", "/match/a/x"))
      app.get(pattern, ctx -> ctx.json(Map.of("matched", pattern)));
    app.post("/echo", ctx -> ctx.json(ctx.body(Object.class)));
    app.post("/orders", ctx -> ctx.get(OrderBeans.OrderController.class).create(ctx));
    app.get("/orders/{id}", ctx -> {
      Map<String, Object> order = ctx.get(OrderBeans.OrderRepository.class).find(ctx.pathParam("id"));
      if (order == null) throw new HttpError(404, "no such order");
      ctx.json(order);
    });
    app.get("/parallel", ctx -> ctx.get(OrderBeans.ParallelController.class).run(ctx));
    search(app);
    app.group("/api", Main::search);
    app.query("/lookup", ctx -> {
      String type = ctx.header("Content-Type");
      ctx.json(Map.of("method", ctx.method(), "contentType", type, "text", ctx.bodyAsString()));
    });
    app.group("/partner", partner -> {
      partner.use(cors("https://partner.example"));
      partner.get("/{id}", ctx -> ctx.json(ctx.pathParams()));
    });
    app.get("/metrics", ctx -> ctx.json(metrics.snapshot()));
    app.get("/cookies", ctx -> {
      String attributes = "; Path=/; HttpOnly; Secure; SameSite=Lax";
      for (String pair : List.of("color=" + encoded("sea green; äöü"), "size=9"))
        ctx.addHeader("Set-Cookie", pair + attributes);
      ctx.json(cookiesOf(ctx));
    });
  }

  private static void search(Group group) {
    group.get("/search", ctx -> ctx.json(Map.of("method", "GET")));
    group.query("/search", ctx -> {
      String type = ctx.header("Content-Type");
      boolean isJson = type.split(";")[0].trim().equalsIgnoreCase("application/json");
      if (!isJson) throw new HttpError(415, "application/json is taken");
      Map<String, Object> seen = new LinkedHashMap<>(Map.of("method", ctx.method(), "contentType", type));
      seen.put("query", ctx.queryParams());
      seen.put("body", ctx.body(Object.class));
      ctx.json(seen);
    });
  }

  private static void failures(Framework app) {
    app.get("/boom", ctx -> {
      throw new IllegalStateException("a secret of the server");
    });
    app.get("/fail/{status}", ctx -> {
      int status = numberIn(ctx.pathParam("status"), 400, 599);
      ctx.header("X-Failed", String.valueOf(status));
      throw new HttpError(status, "failed with " + status + " as asked");
    });
    app.get("/slow/{ms}", ctx -> {
      int ms = numberIn(ctx.pathParam("ms"), 0, 30_000);
      Thread.sleep(ms);
      ctx.json(Map.of("ms", ms));
    });
  }

  private static void streams(Framework app) {
    app.get("/big/{bytes}", ctx -> ctx.text("x".repeat(numberIn(ctx.pathParam("bytes"), 0, 67_108_864))));
    app.get("/events/{n}", ctx -> {
      int count = numberIn(ctx.pathParam("n"), 0, 1_000_000);
      ctx.stream(EVENTS, out -> ticks(out, count));
    });
    app.get("/cut", ctx -> ctx.stream(BYTES, out -> {
      out.write(bytes("begun"));
      throw new IllegalStateException("cut");
    }));
    app.get("/returns/{kind}", ctx -> returned(ctx, ctx.pathParam("kind")));
    app.get("/vary/{kind}", ctx -> {
      String kind = ctx.pathParam("kind");
      if (!List.of("text", "stream", "response", "events").contains(kind)) throw new HttpError(404, "no such kind");
      ctx.addHeader("Vary", "Accept");
      String text = kind.equals("events") ? "data: events\n\n" : kind;
      if (kind.equals("text")) ctx.text(text);
      else ctx.stream(kind.equals("events") ? EVENTS : BYTES, out -> out.write(bytes(text)));
    });
  }

  private static void returned(Context ctx, String kind) {
    switch (kind) {
      case "text" -> ctx.text("text");
      case "json" -> ctx.json(Map.of("kind", "json"));
      case "bytes" -> ctx.send(BYTES, bytes("bytes"));
      case "stream" -> ctx.stream(BYTES, out -> out.write(bytes("stream")));
      case "response" -> ctx.status(202).send("text/csv", bytes("a,b"));
      case "events" -> ctx.stream(EVENTS, out -> ticks(out, 1));
      case "nothing" -> ctx.status(204);
      case "error" -> throw new HttpError(409, "returned as asked");
      default -> throw new HttpError(404, "no such kind");
    }
    ctx.header("X-After", kind);
  }

  private static void ticks(OutputStream out, int count) throws Exception {
    for (int n = 1; n <= count; n += 1) {
      out.write(bytes("event: tick\nid: " + n + "\ndata: {\"n\":" + n + "}\n\n"));
      out.flush();
    }
  }

  private static int numberIn(String text, int min, int max) {
    int value = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
    if (value < min || value > max) throw new HttpError(400, min + " to " + max + " is allowed");
    return value;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static Map<String, String> cookiesOf(Context ctx) {
    Map<String, String> found = new LinkedHashMap<>();
    String sent = ctx.header("Cookie");
    for (String pair : sent == null ? new String[0] : sent.split("; ")) {
      String[] parts = pair.split("=", 2);
      if (parts.length < 2) continue;
      found.putIfAbsent(parts[0], URLDecoder.decode(parts[1].replace("+", "%2B"), StandardCharsets.UTF_8));
    }
    return found;
  }

  /** What the suite asks of any subject; no part of the app. */
  private Framework controls() {
    Framework controls = Framework.create();
    Map<String, Object> about = Map.of("implementation", "java", "version", "1", "engine", "jdk.httpserver",
        "profile", PROFILE, "features", FEATURES);
    controls.get("/__subject/about", ctx -> ctx.json(about));
    controls.get("/__subject/evidence", ctx -> ctx.json(evidence()));
    controls.post("/__subject/reset", ctx -> {
      forget();
      ctx.status(204);
    });
    controls.put("/__subject/checks/{name}", ctx -> {
      Check check = checks.get(ctx.pathParam("name"));
      Object mode = ctx.body(Object.class);
      if (check == null) throw new HttpError(404, "no such check");
      if (!List.of("up", "down", "throw", "reject", "hang").contains(mode)) throw new HttpError(422, "no such mode");
      check.set(mode.toString());
      ctx.status(204);
    });
    return controls;
  }

  private synchronized void logged(String line) {
    logs.add(Json.read(line));
  }

  /** A span in the form that evidence has (spec/tracing.md). */
  private synchronized void finished(Span span) {
    Map<String, Object> found = new LinkedHashMap<>(Map.of("name", span.name(), "kind", "SERVER"));
    found.put("traceId", span.traceId());
    found.put("spanId", span.spanId());
    found.put("parentSpanId", span.parentSpanId());
    found.put("traceState", span.traceState());
    found.put("status", span.isError() ? "ERROR" : "UNSET");
    found.put("attributes", span.attributes());
    found.put("exceptions", span.exceptions().stream()
        .map(one -> Map.of("type", one.getClass().getName(), "message", String.valueOf(one.getMessage()))).toList());
    spans.add(found);
  }

  private synchronized Map<String, Object> evidence() {
    return Map.of("logs", List.copyOf(logs), "spans", List.copyOf(spans), "metrics", metrics.snapshot());
  }

  private synchronized void forget() {
    logs.clear();
    spans.clear();
    metrics.forget();
    devtools.forget();
  }

  /** A health check that does what it was set to. */
  private static final class Check implements Callable<Boolean> {
    private String mode = "up";

    synchronized void set(String next) {
      mode = next;
      notifyAll();
    }

    @Override
    public synchronized Boolean call() throws Exception {
      while (mode.equals("hang")) wait();
      if (mode.equals("throw")) throw new IllegalStateException("a check threw");
      if (mode.equals("reject")) throw new ExecutionException(new IllegalStateException("a check failed"));
      return mode.equals("up");
    }
  }
}
