internal import FCKOnboardingFlow
import TesseraCore
import TesseraJSON

/// What the server says of a placement (NativeScreens.md, rule 2). Every member may be missing. A member of another
/// type counts as missing, except the flow.
public struct PlacementResponse: Sendable, Equatable {
  public var flowId: String?
  public var name: String?
  /// nil if the user sees no flow: it was completed, or the user belongs to a group that sees none.
  public var config: FlowConfig?
  public var version: Int?
  public var placementId: String?
  public var placementName: String?
  public var campaignId: String?
  public var variantId: String?
  /// Whether the user belongs to the group that the others are compared with.
  public var isControl: Bool?
  /// Whether the user keeps the variant.
  public var isSticky: Bool?
  /// Why there is no flow.
  public var message: String?

  public init() {}
}

extension PlacementResponse {
  /// Decodes the body of a response with the status 200.
  ///
  /// - Parameter problems: receives what was left out of the flow.
  /// - Throws: `APIError.noData`, `.decodingError` or `.noActiveFlow`.
  init(_ body: [UInt8], problems: inout [FlowProblem]) throws(FCKAPIClient.APIError) {
    guard !body.isEmpty else { throw .noData }
    do throws(FlowDocumentError) {
      let json = try FlowConfig.json(body)
      guard case .object(let members) = json else { throw .noFlow("The document is not a JSON object.") }
      self.init(members)
      if (members["config"] ?? .null) != .null {
        var config = try FlowConfig(json, problems: &problems)
        // Reports name the flow as the server does.
        config.flowId = flowId ?? config.flowId
        self.config = config
      }
    } catch {
      throw .decodingError(error.failure.cause)
    }
    guard flowId == nil, config == nil else { return }
    guard message == nil else { throw .noActiveFlow }
    throw .decodingError("It has neither a flow nor a message.")
  }

  /// All but the flow.
  private init(_ members: JSONObject) {
    func flag(_ name: String) -> Bool? {
      if case .bool(let flag)? = members[name] { flag } else { nil }
    }
    flowId = members["flowId"]?.stringValue
    name = members["name"]?.stringValue
    if case .integer(let number)? = members["version"] { version = Int(number) }
    placementId = members["placementId"]?.stringValue
    placementName = members["placementName"]?.stringValue
    campaignId = members["campaignId"]?.stringValue
    variantId = members["variantId"]?.stringValue
    isControl = flag("isControl")
    isSticky = flag("isSticky")
    message = members["message"]?.stringValue
  }
}

/// The text of an answer that is an error, for the user.
enum ServerText {
  private static let maximumLength = 200

  /// The member `message` or `error` of an object, or else the beginning of the text. Nothing of a page of HTML.
  ///
  /// - Parameter private: texts that must not be part of it. If one is, the result is empty: a server may repeat what it
  ///   was asked.
  static func short(_ body: [UInt8], private texts: [String]) -> String {
    guard let text = String(validating: body, as: UTF8.self)?.trimmed, !text.hasPrefix("<") else { return "" }
    let json = try? JSONValue(text: text)
    let message = json.map { $0["message"]?.stringValue ?? $0["error"]?.stringValue ?? "" } ?? text
    guard !texts.contains(where: { !$0.isEmpty && message.contains($0) }) else { return "" }
    return PrintableText.of(String(message.unicodeScalars.prefix(maximumLength))).trimmed
  }
}
