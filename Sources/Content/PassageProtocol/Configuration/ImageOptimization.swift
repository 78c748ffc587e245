internal import TesseraJSON

/// How screenshots are made smaller (2.4). They are always JPEG.
package struct ImageOptimization: Sendable, Equatable {
  /// 0…1.
  package var quality = 0.6
  /// In pixels. A larger picture is scaled down; its proportions stay.
  package var maxWidth = 960
  package var maxHeight = 540

  /// No picture of a window is larger.
  private static let sizes = 1.0...8_192.0

  package init() {}

  /// Members with a wrong type or a value out of range have their default.
  init(_ value: JSONValue?) {
    if let quality = value?["quality"]?.doubleValue, quality > 0, quality <= 1 { self.quality = quality }
    if let width = Self.size(value?["maxWidth"]) { maxWidth = width }
    if let height = Self.size(value?["maxHeight"]) { maxHeight = height }
  }

  private static func size(_ value: JSONValue?) -> Int? {
    guard let size = value?.doubleValue, sizes.contains(size) else { return nil }
    return Int(size)
  }
}
