/// The words of the document that mean the same as another one.
enum FlowDocumentWords {
  static let distributions: [String: FlowStack.Distribution] = [
    "start": .start, "flex-start": .start, "center": .center, "end": .end, "flex-end": .end,
    "space-between": .spaceBetween, "space-around": .spaceAround, "space-evenly": .spaceEvenly,
  ]
  static let stackAlignments: [String: FlowStack.Alignment] = [
    "start": .start, "flex-start": .start, "left": .start, "top": .start, "center": .center, "end": .end,
    "flex-end": .end, "right": .end, "bottom": .end,
  ]
  static let textAlignments: [String: FlowText.Alignment] = [
    "left": .left, "leading": .left, "center": .center, "right": .right, "trailing": .right,
  ]
  static let fits: [String: FlowImage.Fit] = ["contain": .contain, "fit": .contain, "cover": .cover, "fill": .cover]
  static let entries: [String: FlowEntry.Kind] = [
    "text": .text, "email": .email, "phone": .phone(countryCode: ""), "number": .number(FlowNumberRange()),
  ]
  /// The countries whose flags the mobile SDK has.
  static let countries: Set<String> = ["US", "GB", "CA", "AU", "DE", "FR", "ES", "IT", "MX", "BR"]
}
