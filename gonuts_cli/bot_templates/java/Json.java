import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON reader and writer: Map, List, String, Long, Double, Boolean and null. */
final class Json {
    private static final int MAX_DEPTH = 100;

    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    /** The value that the text holds; IllegalArgumentException when it is no JSON. */
    static Object parse(String text) {
        Json reader = new Json(text);
        Object value = reader.value(0);
        reader.space();
        if (reader.at != text.length()) throw reader.wrong();
        return value;
    }

    /** The value as JSON on one line. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        String separator = "";
        if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator).append(write(entry.getKey())).append(':').append(write(entry.getValue()));
                separator = ",";
            }
            return "{" + out + "}";
        }
        if (value instanceof List<?> list) {
            for (Object item : list) {
                out.append(separator).append(write(item));
                separator = ",";
            }
            return "[" + out + "]";
        }
        if (!(value instanceof String letters)) return String.valueOf(value);
        for (char letter : letters.toCharArray()) {
            if (letter == '"' || letter == '\\') out.append('\\').append(letter);
            else if (letter < ' ') out.append(String.format("\\u%04x", (int) letter));
            else out.append(letter);
        }
        return "\"" + out + "\"";
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("no JSON at character " + at + ": " + text);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(peek()) >= 0) at++;
    }

    private boolean take(char wanted) {
        space();
        if (peek() != wanted) return false;
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!take(wanted)) throw wrong();
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) throw wrong();
        at += word.length();
        return value;
    }

    private Object value(int depth) {
        if (depth > MAX_DEPTH) throw wrong();
        space();
        switch (peek()) {
            case 'n': return word("null", null);
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case '"': return string();
            case '[': return list(depth);
            case '{': return object(depth);
            default: return number();
        }
    }

    private List<Object> list(int depth) {
        List<Object> items = new ArrayList<>();
        expect('[');
        if (take(']')) return items;
        do items.add(value(depth + 1)); while (take(','));
        expect(']');
        return items;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        if (take('}')) return members;
        do {
            space();
            String key = string();
            expect(':');
            members.put(key, value(depth + 1));
        } while (take(','));
        expect('}');
        return members;
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(peek()) >= 0) at++;
        String digits = text.substring(start, at);
        try {
            return digits.matches("-?\\d{1,18}") ? (Object) Long.valueOf(digits) : (Object) Double.valueOf(digits);
        } catch (NumberFormatException e) {
            throw wrong();
        }
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        if (peek() != '"') throw wrong();
        at++;
        while (peek() != '"') {
            if (at >= text.length()) throw wrong();
            char letter = text.charAt(at++);
            if (letter == '\\') {
                int simple = "\"\\/bfnrt".indexOf(peek());
                if (simple >= 0) letter = "\"\\/\b\f\n\r\t".charAt(simple);
                else if (peek() == 'u' && at + 5 <= text.length()) {
                    letter = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                    at += 4;
                } else throw wrong();
                at++;
            }
            out.append(letter);
        }
        at++;
        return out.toString();
    }
}
