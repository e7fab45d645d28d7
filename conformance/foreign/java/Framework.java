import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What responds to a request. */
interface Handler {
  void handle(Context ctx) throws Exception;
}

/** What stands around a handler; `next` is the rest. */
interface Middleware {
  void handle(Context ctx, Next next) throws Exception;

  interface Next {
    void run() throws Exception;
  }
}

/** An error that is a response. */
final class HttpError extends RuntimeException {
  final int status;

  HttpError(int status, String message) {
    super(message);
    this.status = status;
  }
}

/** Routes under a prefix, with middleware of their own. */
class Group {
  private final String prefix;
  private final Group parent;
  final List<Route> routes;
  private final List<Middleware> middleware = new ArrayList<>();

  record Route(String method, String pattern, Pattern regex, List<String> names, Handler handler, Group group) {}

  Group(String prefix, Group parent) {
    this.prefix = prefix;
    this.parent = parent;
    this.routes = parent == null ? new ArrayList<>() : parent.routes;
  }

  void use(Middleware one) {
    middleware.add(one);
  }

  void get(String path, Handler handler) {
    route("GET", path, handler);
  }

  void post(String path, Handler handler) {
    route("POST", path, handler);
  }

  void put(String path, Handler handler) {
    route("PUT", path, handler);
  }

  /** RFC 10008 §2: a query says what its content is. */
  void query(String path, Handler handler) {
    route("QUERY", path, ctx -> {
      String type = ctx.header("Content-Type");
      boolean isOne = type != null && type.matches("[^\\s/;,]+/[^\\s/;,]+\\s*(;[^=]+=.+)?");
      if (!isOne) throw new HttpError(400, "Content-Type is missing, or none");
      handler.handle(ctx);
    });
  }

  void group(String inner, Consumer<Group> define) {
    define.accept(new Group(prefix + inner, this));
  }

  /** `{name}` is a segment, `*name` the rest. */
  private void route(String method, String path, Handler handler) {
    List<String> names = new ArrayList<>();
    StringBuilder regex = new StringBuilder();
    for (String segment : (prefix + path).substring(1).split("/")) {
      regex.append('/');
      if (segment.startsWith("*")) regex.append("(.+)");
      else regex.append(segment.startsWith("{") ? "([^/]+)" : Pattern.quote(segment));
      if (segment.startsWith("*") || segment.startsWith("{")) names.add(segment.replaceAll("[*{}]", ""));
    }
    routes.add(new Route(method, prefix + path, Pattern.compile(regex.toString()), names, handler, this));
  }

  /** The middleware of this group, behind that of those around it. */
  List<Middleware> chain() {
    List<Middleware> all = parent == null ? new ArrayList<>() : parent.chain();
    all.addAll(middleware);
    return all;
  }
}

/** The application: a router, middleware and beans on the server of the JDK. */
final class Framework extends Group {
  private Beans beans;

  private Framework() {
    super("", null);
  }

  static Framework create() {
    return new Framework();
  }

  void beans(Beans container) {
    beans = container;
  }

  /** Serves each application under its prefix; the port. */
  static int start(int port, Map<String, Framework> apps) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    apps.forEach((prefix, app) -> server.createContext(prefix, app::serve));
    server.start();
    return server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    Context ctx = new Context(exchange, beans);
    Handler handler = find(ctx);
    List<Middleware> chain = ctx.route() == null ? chain() : ctx.route().group().chain();
    guarded(ctx, () -> run(new ArrayDeque<>(chain), ctx, handler));
    ctx.commit();
  }

  private static void run(Deque<Middleware> rest, Context ctx, Handler handler) throws Exception {
    Middleware first = rest.poll();
    if (first == null) guarded(ctx, () -> handler.handle(ctx));
    else first.handle(ctx, () -> run(rest, ctx, handler));
  }

  /** What is thrown becomes a response, so that middleware sees its status. */
  private static void guarded(Context ctx, Middleware.Next work) {
    try {
      work.run();
    } catch (Exception error) {
      ctx.failure = error;
      int status = error instanceof HttpError http ? http.status : 500;
      String what = status == 500 ? "Internal Server Error" : String.valueOf(error.getMessage());
      ctx.status(status).json(Map.of("error", what));
    }
  }

  /** The first route in the order of registration that takes path and method. */
  private Handler find(Context ctx) {
    TreeSet<String> allowed = new TreeSet<>();
    String method = ctx.method().equals("HEAD") ? "GET" : ctx.method();
    for (Route route : routes) {
      Matcher matcher = route.regex().matcher(ctx.path());
      if (!matcher.matches()) continue;
      allowed.add(route.method());
      if (!route.method().equals(method)) continue;
      ctx.matched(route, matcher);
      return route.handler();
    }
    if (allowed.isEmpty()) return unmatched -> unmatched.status(404).json(Map.of("error", "Not Found"));
    if (allowed.contains("GET")) allowed.add("HEAD");
    allowed.add("OPTIONS");
    boolean isOptions = method.equals("OPTIONS");
    return other -> {
      other.header("Allow", String.join(", ", allowed));
      if (isOptions) other.status(204);
      else other.status(405).json(Map.of("error", "Method Not Allowed"));
    };
  }
}

/** One request and its response, which is sent once the handlers are through. */
final class Context {
  private final HttpExchange exchange;
  private final Beans beans;
  private final Map<String, String> params = new LinkedHashMap<>();
  private final Map<String, Object> attributes = new LinkedHashMap<>();
  private Group.Route route;
  private byte[] content;
  private int status = 200;
  private byte[] body = new byte[0];
  private Stream stream;
  Exception failure;

  /** A body that is written as it comes. */
  interface Stream {
    void writeTo(OutputStream out) throws Exception;
  }

  Context(HttpExchange exchange, Beans beans) {
    this.exchange = exchange;
    this.beans = beans;
  }

  void matched(Group.Route found, Matcher matcher) {
    route = found;
    for (int at = 0; at < found.names().size(); at += 1)
      params.put(found.names().get(at), decoded(matcher.group(at + 1).replace("+", "%2B")));
  }

  String method() {
    return exchange.getRequestMethod();
  }

  String path() {
    return exchange.getRequestURI().getRawPath();
  }

  Group.Route route() {
    return route;
  }

  String pattern() {
    return route == null ? null : route.pattern();
  }

  String pathParam(String name) {
    return params.get(name);
  }

  Map<String, String> pathParams() {
    return params;
  }

  Map<String, List<String>> queryParams() {
    Map<String, List<String>> found = new LinkedHashMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    if (query == null) return found;
    for (String pair : query.split("&")) {
      String[] parts = pair.split("=", 2);
      List<String> values = found.computeIfAbsent(decoded(parts[0]), name -> new ArrayList<>());
      values.add(parts.length == 1 ? "" : decoded(parts[1]));
    }
    return found;
  }

  String header(String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  String bodyAsString() {
    try {
      if (content == null) content = exchange.getRequestBody().readAllBytes();
    } catch (IOException gone) {
      throw new HttpError(400, "the body did not come whole");
    }
    return new String(content, StandardCharsets.UTF_8);
  }

  <T> T body(Class<T> type) {
    try {
      return type.cast(Json.read(bodyAsString()));
    } catch (IllegalArgumentException | ClassCastException malformed) {
      throw new HttpError(400, "the body is no JSON of that kind");
    }
  }

  <T> T get(Class<T> type) {
    return beans.get(type);
  }

  Object attribute(String name) {
    return attributes.get(name);
  }

  void attribute(String name, Object value) {
    attributes.put(name, value);
  }

  int status() {
    return status;
  }

  Context status(int code) {
    status = code;
    return this;
  }

  void header(String name, String value) {
    exchange.getResponseHeaders().set(name, value);
  }

  void addHeader(String name, String value) {
    exchange.getResponseHeaders().add(name, value);
  }

  String responseHeader(String name) {
    return exchange.getResponseHeaders().getFirst(name);
  }

  void json(Object value) {
    send("application/json", Json.write(value).getBytes(StandardCharsets.UTF_8));
  }

  void text(String value) {
    send("text/plain; charset=utf-8", value.getBytes(StandardCharsets.UTF_8));
  }

  void html(String value) {
    send("text/html; charset=utf-8", value.getBytes(StandardCharsets.UTF_8));
  }

  void send(String type, byte[] bytes) {
    header("Content-Type", type);
    body = bytes;
    stream = null;
  }

  void stream(String type, Stream writer) {
    send(type, new byte[0]);
    stream = writer;
  }

  /** What was sent, or will be; null for a stream. */
  String responseBody() {
    return stream == null ? new String(body, StandardCharsets.UTF_8) : null;
  }

  /** Sends the response. What a stream throws closes the connection, so that a client sees that it is not whole. */
  void commit() throws IOException {
    boolean isBodiless = method().equals("HEAD") || status == 204 || status == 304;
    if (isBodiless || (stream == null && body.length == 0)) {
      exchange.sendResponseHeaders(status, -1);
      exchange.close();
      return;
    }
    exchange.sendResponseHeaders(status, stream == null ? body.length : 0);
    OutputStream out = exchange.getResponseBody();
    try {
      if (stream == null) out.write(body);
      else stream.writeTo(out);
    } catch (IOException gone) {
      throw gone;
    } catch (Exception error) {
      out.flush();
      throw new IOException("a stream failed", error);
    }
    exchange.close();
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
