internal import TesseraJSON

/// The content of a bottom sheet (3.12).
package struct BottomSheet: Sendable, Equatable {
  package var title: String
  package var description: String?
  package var points: [String] = []
  /// nil for a sheet without a button. With a field, `Submit` is the default.
  package var closeButtonText: String?
  /// Whether the sheet asks for an address, which is loaded in the automation view.
  package var showsInput = false

  private static let longestLine = 200
  private static let longestText = 4_000
  private static let mostPoints = 50

  package init(title: String) { self.title = title }

  /// - Returns: nil without a title.
  init?(_ members: JSONObject) {
    guard let title = members["title"]?.stringValue else { return nil }
    self.init(title: title.shortened(to: Self.longestLine))
    description = members["description"]?.stringValue?.shortened(to: Self.longestText)
    points = (members["points"]?.texts ?? []).prefix(Self.mostPoints).map { $0.shortened(to: Self.longestText) }
    showsInput = members["showInput"]?.boolValue ?? false
    closeButtonText =
      members["closeButtonText"]?.stringValue?.shortened(to: Self.longestLine) ?? (showsInput ? "Submit" : nil)
  }
}
