import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Health of the registered checks at one path (§2.3, §4.2). */
final class HealthMiddleware implements Middleware {
  private final String path;
  private final Map<String, Callable<Boolean>> checks;

  private HealthMiddleware(String path, Map<String, Callable<Boolean>> checks) {
    this.path = path;
    this.checks = checks;
  }

  static Builder builder() {
    return new Builder();
  }

  static final class Builder {
    private String path = "/health";
    private final Map<String, Callable<Boolean>> checks = new LinkedHashMap<>();

    Builder path(String where) {
      path = where;
      return this;
    }

    Builder check(String name, Callable<Boolean> check) {
      checks.put(name, check);
      return this;
    }

    HealthMiddleware build() {
      return new HealthMiddleware(path, checks);
    }
  }

  @Override
  public void handle(Context ctx, Next next) throws Exception {
    if (!ctx.path().equals(path) || !List.of("GET", "HEAD").contains(ctx.method())) {
      next.run();
      return;
    }
    Map<String, String> found = new LinkedHashMap<>();
    checks.forEach((name, check) -> found.put(name, isUp(check) ? "UP" : "DOWN"));
    boolean allUp = !found.containsValue("DOWN");
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("status", allUp ? "UP" : "DOWN");
    result.put("checks", found);
    ctx.status(allUp ? 200 : 503).json(result);
  }

  private static boolean isUp(Callable<Boolean> check) {
    try {
      return check.call();
    } catch (Exception failed) {
      return false;
    }
  }
}

/** What is told of each request (§2.4). */
interface MetricsCollector {
  void record(String method, String route, int status, long micros);
}

/** Counts by method and route. The document does not show the snapshot's shape. */
final class InMemoryMetricsCollector implements MetricsCollector {
  private final Map<String, Map<String, Long>> routes = new TreeMap<>();

  @Override
  public synchronized void record(String method, String route, int status, long micros) {
    Map<String, Long> found = routes.computeIfAbsent(method + " " + route, name -> new TreeMap<>());
    found.merge("count", 1L, Long::sum);
    found.merge("micros", micros, Long::sum);
    found.merge(String.valueOf(status), 1L, Long::sum);
  }

  synchronized Map<String, Object> snapshot() {
    return new TreeMap<>(routes);
  }

  synchronized void forget() {
    routes.clear();
  }
}

final class MetricsMiddleware implements Middleware {
  private final MetricsCollector collector;

  MetricsMiddleware(MetricsCollector collector) {
    this.collector = collector;
  }

  @Override
  public void handle(Context ctx, Next next) throws Exception {
    long began = System.nanoTime();
    try {
      next.run();
    } finally {
      String route = ctx.pattern() == null ? "unmatched" : ctx.pattern();
      collector.record(ctx.method(), route, ctx.status(), (System.nanoTime() - began) / 1_000);
    }
  }
}

/** The access log as JSON (§2.5): `method`, `path`, `status`, the duration, and the request id where there is one. */
final class RequestLoggingMiddleware implements Middleware {
  private final Consumer<String> sink;

  private RequestLoggingMiddleware(Consumer<String> sink) {
    this.sink = sink;
  }

  static RequestLoggingMiddleware json(Consumer<String> sink) {
    return new RequestLoggingMiddleware(sink);
  }

  @Override
  public void handle(Context ctx, Next next) throws Exception {
    long began = System.nanoTime();
    try {
      next.run();
    } finally {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("method", ctx.method());
      line.put("path", ctx.path());
      line.put("status", ctx.status());
      line.put("micros", (System.nanoTime() - began) / 1_000);
      if (ctx.attribute("requestId") != null) line.put("requestId", ctx.attribute("requestId"));
      sink.accept(Json.write(line));
    }
  }
}

/** A finished span (§2.6), with the ids of W3C Trace Context. */
record Span(
    String name,
    String traceId,
    String spanId,
    String parentSpanId,
    String traceState,
    boolean isError,
    Map<String, Object> attributes,
    List<Throwable> exceptions) {}

/** A span of kind SERVER for each request (§2.6). */
final class TracingMiddleware implements Middleware {
  private static final Pattern PARENT = Pattern.compile(
      "(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?");
  private static final SecureRandom RANDOM = new SecureRandom();
  private final Consumer<Span> tracer;

  TracingMiddleware(Consumer<Span> tracer) {
    this.tracer = tracer;
  }

  @Override
  public void handle(Context ctx, Next next) throws Exception {
    String sent = ctx.header("traceparent");
    Matcher parent = PARENT.matcher(sent == null ? "" : sent);
    boolean joins = parent.matches() && !(sent.startsWith("00") && parent.group(3) != null);
    String traceId = joins ? parent.group(1) : random(16);
    ctx.attribute("traceId", traceId);
    try {
      next.run();
    } finally {
      Map<String, Object> attributes = new LinkedHashMap<>();
      attributes.put("http.request.method", ctx.method());
      attributes.put("url.path", ctx.path());
      if (ctx.pattern() != null) attributes.put("http.route", ctx.pattern());
      attributes.put("http.response.status_code", ctx.status());
      String name = ctx.pattern() == null ? ctx.method() : ctx.method() + " " + ctx.pattern();
      boolean isError = ctx.failure != null;
      List<Throwable> exceptions = isError ? List.of(ctx.failure) : List.of();
      String parentId = joins ? parent.group(2) : null;
      String state = joins ? ctx.header("tracestate") : null;
      tracer.accept(new Span(name, traceId, random(8), parentId, state, isError, attributes, exceptions));
    }
  }

  private static String random(int bytes) {
    byte[] found = new byte[bytes];
    RANDOM.nextBytes(found);
    return HexFormat.of().formatHex(found);
  }
}

/** Gives each request an id, or keeps that which it has. */
final class RequestIdMiddleware implements Middleware {
  @Override
  public void handle(Context ctx, Next next) throws Exception {
    String sent = ctx.header("X-Request-Id");
    String id = sent == null || sent.isBlank() ? UUID.randomUUID().toString() : sent;
    ctx.attribute("requestId", id);
    ctx.header("X-Request-Id", id);
    next.run();
  }
}

/** CORS as the Fetch standard has it (§4.4, rule 3: QUERY is allowed only where it is named). */
final class CorsMiddleware implements Middleware {
  private final List<String> origins;
  private final List<String> methods;

  private CorsMiddleware(List<String> origins, List<String> methods) {
    this.origins = origins;
    this.methods = methods;
  }

  static Builder builder() {
    return new Builder();
  }

  static final class Builder {
    private List<String> origins = List.of();
    private List<String> methods = List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

    Builder allowOrigins(String... names) {
      origins = List.of(names);
      return this;
    }

    Builder allowMethods(String... names) {
      methods = List.of(names);
      return this;
    }

    CorsMiddleware build() {
      return new CorsMiddleware(origins, methods);
    }
  }

  @Override
  public void handle(Context ctx, Next next) throws Exception {
    String origin = ctx.header("Origin");
    boolean isAllowed = origin != null && origins.contains(origin);
    ctx.addHeader("Vary", "Origin");
    if (isAllowed) ctx.header("Access-Control-Allow-Origin", origin);
    if (!isAllowed || !ctx.method().equals("OPTIONS") || ctx.header("Access-Control-Request-Method") == null) {
      next.run();
      return;
    }
    ctx.header("Access-Control-Allow-Methods", String.join(", ", methods));
    ctx.header("Access-Control-Allow-Headers", "Content-Type, Authorization");
    ctx.status(204);
  }
}
