import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The beans of the subject (spec/subject.md, Beans). */
final class OrderBeans {
  private OrderBeans() {}

  interface OrderController {
    void create(Context ctx);
  }

  interface OrderService {
    String place(Map<String, Object> order);
  }

  interface Catalog {
    Map<String, Object> find(String item);
  }

  interface Pricing {
    BigDecimal quote(BigDecimal total);
  }

  interface OrderRepository {
    String save(Map<String, Object> order);

    Map<String, Object> find(String id);
  }

  interface Mailer {
    void send(String id);
  }

  interface ParallelController {
    void run(Context ctx);
  }

  interface Left {
    String work();
  }

  interface Middle {
    String work();
  }

  interface Right {
    String work();
  }

  interface Leaf {
    String touch(String name);
  }

  /** Bound as a class, and so not traceable. */
  static final class Database {
    private final Map<String, Map<String, Object>> orders = new ConcurrentHashMap<>();
    private final AtomicInteger last = new AtomicInteger();
  }

  private record Orders(Database database) implements OrderRepository {
    @Override
    public String save(Map<String, Object> order) {
      String id = String.valueOf(database.last.incrementAndGet());
      Map<String, Object> kept = new LinkedHashMap<>(Map.of("id", id));
      kept.putAll(order);
      database.orders.put(id, kept);
      return id;
    }

    @Override
    public Map<String, Object> find(String id) {
      return database.orders.get(id);
    }
  }

  static Beans bound(Devtools devtools) {
    return Beans.builder()
        .bind(OrderController.class, b -> controller(b.get(OrderService.class)))
        .bind(OrderService.class, OrderBeans::service)
        .bind(Catalog.class, b -> item -> Map.of("item", item))
        .bind(Pricing.class, b -> total -> total)
        .bind(OrderRepository.class, b -> new Orders(b.get(Database.class)))
        .bind(Mailer.class, b -> id -> {})
        .bind(Database.class, b -> new Database())
        .bind(ParallelController.class, b -> sideBySide(b.get(Left.class), b.get(Middle.class), b.get(Right.class)))
        .bind(Left.class, b -> touching(b.get(Leaf.class), "Left")::get)
        .bind(Middle.class, b -> touching(b.get(Leaf.class), "Middle")::get)
        .bind(Right.class, b -> touching(b.get(Leaf.class), "Right")::get)
        .bind(Leaf.class, b -> name -> name)
        .instrument(devtools.recorder())
        .start();
  }

  private static OrderController controller(OrderService service) {
    return ctx -> {
      Object order = ctx.body(Object.class);
      Map<?, ?> given = order instanceof Map<?, ?> map ? map : Map.of();
      if (!(given.get("item") instanceof String item) || item.isEmpty()) throw new HttpError(422, "item is no text");
      if (!(given.get("total") instanceof BigDecimal total) || total.signum() < 0)
        throw new HttpError(422, "total is no amount");
      ctx.status(201).json(Map.of("id", service.place(Map.of("item", item, "total", total))));
    };
  }

  private static OrderService service(Beans beans) {
    Catalog catalog = beans.get(Catalog.class);
    Pricing pricing = beans.get(Pricing.class);
    OrderRepository repository = beans.get(OrderRepository.class);
    Mailer mailer = beans.get(Mailer.class);
    return order -> {
      catalog.find((String) order.get("item"));
      BigDecimal total = pricing.quote((BigDecimal) order.get("total"));
      String id = repository.save(order);
      if (total.intValue() > 100) mailer.send(id);
      return id;
    };
  }

  private static Supplier<String> touching(Leaf leaf, String name) {
    return () -> {
      Thread.yield();
      return leaf.touch(name);
    };
  }

  /** Each in a thread of its own. */
  private static ParallelController sideBySide(Left left, Middle middle, Right right) {
    return ctx -> {
      List<CompletableFuture<String>> results = new ArrayList<>();
      for (Supplier<String> one : List.<Supplier<String>>of(left::work, middle::work, right::work)) {
        CompletableFuture<String> result = new CompletableFuture<>();
        results.add(result);
        new Thread(() -> result.complete(one.get())).start();
      }
      ctx.json(results.stream().map(CompletableFuture::join).toList());
    };
  }
}
