package import TesseraJSON

/// What the server says about a session (Passage.md, rule 3). Members of a wrong type are absent.
package struct AutomationConfiguration: Sendable, Equatable {
  /// The page of the third party. The automation view shows nothing without it.
  package var integrationURL: String?
  package var integrationName: String?
  package var integrationSlug: String?
  /// The domains whose cookies are collected; also those whose cookies are removed.
  package var cookieDomains: [String]
  /// Runs in every document of the automation view; empty for none.
  package var globalJavascript: String
  /// Empty for that of the engine.
  package var automationUserAgent: String
  package var imageOptimization: ImageOptimization
  package var clearAllCookies: Bool

  /// In bytes.
  package static let sizeLimit = 2 << 20
  private static let userAgentLimit = 512

  package init(_ value: JSONValue) {
    let integration = value["integration"]
    integrationURL = integration?["url"]?.stringValue
    integrationName = integration?["name"]?.stringValue
    integrationSlug = integration?["slug"]?.stringValue
    cookieDomains = value["cookieDomains"]?.texts ?? []
    globalJavascript = value["globalJavascript"]?.stringValue ?? ""
    automationUserAgent = value["automationUserAgent"]?.stringValue.flatMap(Self.userAgent) ?? ""
    imageOptimization = ImageOptimization(value["imageOptimization"])
    clearAllCookies = value["clearAllCookies"]?.boolValue ?? false
  }

  /// - Returns: nil if the response has another status than 2xx, or is no JSON object.
  package init?(status: Int, body: [UInt8]) {
    guard 200...299 ~= status, body.count <= Self.sizeLimit, let text = String(validating: body, as: UTF8.self),
      let value = try? JSONValue(text: text), value.objectValue != nil
    else { return nil }
    self.init(value)
  }

  /// The text if it can be the value of a header; nil otherwise.
  package static func userAgent(_ text: String) -> String? {
    text.utf8.count <= userAgentLimit && text.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? text : nil
  }
}

/// How screenshots are made smaller (Passage.md, rule 3). They are always JPEG.
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
