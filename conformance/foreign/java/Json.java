import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON as maps, lists, texts, numbers and booleans; records and beans are written by what they hold (§1.2, rule 2). */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The value of a JSON text. @throws IllegalArgumentException for what is none */
  static Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    if (json.next() != 0) throw json.malformed();
    return value;
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private Object value() {
    switch (next()) {
      case '{':
        return object();
      case '[':
        return array();
      case '"':
        return string();
      default:
        return literal();
    }
  }

  /** The next character that is no blank, which stays; 0 at the end. */
  private char next() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at += 1;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean take(char wanted) {
    if (next() != wanted) return false;
    at += 1;
    return true;
  }

  private void demand(char wanted) {
    if (!take(wanted)) throw malformed();
  }

  private Map<String, Object> object() {
    Map<String, Object> found = new LinkedHashMap<>();
    demand('{');
    if (take('}')) return found;
    do {
      if (next() != '"') throw malformed();
      String name = string();
      demand(':');
      found.put(name, value());
    } while (take(','));
    demand('}');
    return found;
  }

  private List<Object> array() {
    List<Object> found = new ArrayList<>();
    demand('[');
    if (take(']')) return found;
    do found.add(value());
    while (take(','));
    demand(']');
    return found;
  }

  private String string() {
    StringBuilder found = new StringBuilder();
    for (at += 1; at < text.length(); at += 1) {
      char c = text.charAt(at);
      if (c < ' ') throw malformed();
      if (c == '"') {
        at += 1;
        return found.toString();
      }
      found.append(c == '\\' ? escaped() : c);
    }
    throw malformed();
  }

  private char escaped() {
    at += 1;
    char c = at < text.length() ? text.charAt(at) : 0;
    if (c == 'u' && at + 4 < text.length()) {
      at += 4;
      return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
    }
    int known = "\"\\/bfnrt".indexOf(c);
    if (known < 0) throw malformed();
    return "\"\\/\b\f\n\r\t".charAt(known);
  }

  private Object literal() {
    int from = at;
    while (at < text.length() && " \t\r\n,]}:".indexOf(text.charAt(at)) < 0) at += 1;
    String word = text.substring(from, at);
    if (word.equals("null")) return null;
    if (word.equals("true") || word.equals("false")) return Boolean.valueOf(word);
    if (!word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) throw malformed();
    return new BigDecimal(word);
  }

  private IllegalArgumentException malformed() {
    return new IllegalArgumentException("no JSON at character " + at);
  }

  private static void append(StringBuilder out, Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) out.append(value);
    else if (value instanceof CharSequence || value instanceof Enum) quote(out, value.toString());
    else if (value instanceof Iterable<?> list) appendList(out, list);
    else if (value instanceof Object[] array) appendList(out, List.of(array));
    else if (value instanceof Map<?, ?> map) appendMap(out, map);
    else appendMap(out, membersOf(value));
  }

  private static void appendList(StringBuilder out, Iterable<?> list) {
    String between = "";
    out.append('[');
    for (Object one : list) {
      out.append(between);
      append(out, one);
      between = ",";
    }
    out.append(']');
  }

  private static void appendMap(StringBuilder out, Map<?, ?> map) {
    String between = "";
    out.append('{');
    for (Map.Entry<?, ?> one : map.entrySet()) {
      out.append(between);
      quote(out, String.valueOf(one.getKey()));
      out.append(':');
      append(out, one.getValue());
      between = ",";
    }
    out.append('}');
  }

  /** The components of a record, the getters of a bean, each by its name without `get`. */
  private static Map<String, Object> membersOf(Object value) {
    Map<String, Object> found = value.getClass().isRecord() ? new LinkedHashMap<>() : new TreeMap<>();
    try {
      if (value.getClass().isRecord())
        for (RecordComponent one : value.getClass().getRecordComponents())
          found.put(one.getName(), call(one.getAccessor(), value));
      else
        for (Method one : value.getClass().getMethods())
          if (isGetter(one)) found.put(one.getName().substring(3), call(one, value));
    } catch (ReflectiveOperationException unreadable) {
      found.put("class", value.getClass().getName());
    }
    return found;
  }

  private static boolean isGetter(Method one) {
    boolean isOwn = one.getDeclaringClass() != Object.class;
    return isOwn && one.getParameterCount() == 0 && one.getName().matches("get[A-Z].*");
  }

  private static Object call(Method method, Object value) throws ReflectiveOperationException {
    method.setAccessible(true);
    return method.invoke(value);
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    out.append('"');
  }
}
