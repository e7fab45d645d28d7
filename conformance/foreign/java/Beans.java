import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The container (§1.1): beans bound by type, each made once, with what its factory asked for as its dependencies. */
final class Beans {
  /** What may wrap a bean as it is made. */
  interface Decorator {
    <T> T decorate(Class<T> type, T bean);
  }

  private final Map<Class<?>, Function<Beans, ?>> factories;
  private final Decorator decorator;
  private final Map<Class<?>, Object> made = new LinkedHashMap<>();
  private final Map<Class<?>, Set<Class<?>>> dependencies = new LinkedHashMap<>();
  private final Deque<Class<?>> making = new ArrayDeque<>();

  private Beans(Builder builder) {
    factories = builder.factories;
    decorator = builder.decorator;
    factories.keySet().forEach(this::get);
  }

  static Builder builder() {
    return new Builder();
  }

  /** Binds and starts. */
  static final class Builder {
    private final Map<Class<?>, Function<Beans, ?>> factories = new LinkedHashMap<>();
    private Decorator decorator = new Decorator() {
      @Override
      public <T> T decorate(Class<T> type, T bean) {
        return bean;
      }
    };

    <T> Builder bind(Class<T> type, Function<Beans, ? extends T> factory) {
      factories.put(type, factory);
      return this;
    }

    Builder instrument(Decorator with) {
      decorator = with;
      return this;
    }

    Beans start() {
      return new Beans(this);
    }
  }

  <T> T get(Class<T> type) {
    if (!making.isEmpty()) dependencies.get(making.peek()).add(type);
    if (!made.containsKey(type)) make(type);
    return type.cast(made.get(type));
  }

  private <T> void make(Class<T> type) {
    if (!factories.containsKey(type)) throw new IllegalStateException("no bean is bound to " + type.getName());
    dependencies.put(type, new LinkedHashSet<>());
    making.push(type);
    T bean = type.cast(factories.get(type).apply(this));
    making.pop();
    made.put(type, decorator.decorate(type, bean));
  }

  /** Each bean and what it depends on. */
  Map<Class<?>, Set<Class<?>>> dependencies() {
    return dependencies;
  }
}
