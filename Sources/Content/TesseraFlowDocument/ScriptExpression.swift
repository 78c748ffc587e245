import TesseraCore
package import TesseraJSON

extension JSONValue {
  /// The value as an expression of JavaScript that can stand in a `<script>` element: JSON, in which `<` cannot begin an
  /// end tag or a comment, and the line ends of older JavaScript are escaped.
  package var scriptExpression: String {
    // All three characters can stand in strings only, so an escape means the same.
    text.replacing("<", with: "\\u003C").replacing("\u{2028}", with: "\\u2028").replacing("\u{2029}", with: "\\u2029")
  }
}
