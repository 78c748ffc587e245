package import TesseraJSON

/// What the server says about a session (2.4). Members of a wrong type are absent.
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
