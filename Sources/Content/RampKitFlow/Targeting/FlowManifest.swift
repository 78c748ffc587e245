internal import TesseraJSON

/// Which flows there are for an application, and for whom (the dossier, section 2.3).
public struct FlowManifest: Sendable, Equatable {
  public var targets: [Target] = []

  /// People who see one of some flows.
  public struct Target: Sendable, Equatable {
    public var id: String
    public var name: String
    /// The target with the lowest number comes first.
    public var priority: Int64
    /// Whether all rules must hold; otherwise one is enough.
    public var matchesAll: Bool
    public var rules: [Rule]
    public var onboardings: [Choice]

    public init(
      id: String, name: String, priority: Int64, matchesAll: Bool = true, rules: [Rule] = [], onboardings: [Choice] = []
    ) {
      self.id = id
      self.name = name
      self.priority = priority
      self.matchesAll = matchesAll
      self.rules = rules
      self.onboardings = onboardings
    }
  }

  public struct Rule: Sendable, Equatable {
    /// Two words with a point between them, for example `device.language`.
    public var attribute: String
    public var `operator`: String
    public var value: String

    public init(attribute: String, operator: String, value: String) {
      self.attribute = attribute
      self.operator = `operator`
      self.value = value
    }
  }

  /// A flow of a target.
  public struct Choice: Sendable, Equatable {
    public var id: String
    /// The share of people who see it, in percent.
    public var allocation: Int64
    public var url: String
    public var versionId: String?

    public init(id: String, allocation: Int64, url: String, versionId: String? = nil) {
      self.id = id
      self.allocation = allocation
      self.url = url
      self.versionId = versionId
    }
  }

  public init(targets: [Target]) { self.targets = targets }

  /// Reads a manifest. A target, a rule or a flow without what it needs is left out.
  ///
  /// - Throws: `FlowDocumentError`.
  public init(_ bytes: some Collection<UInt8>) throws(FlowDocumentError) {
    let json = try FlowDocumentText.json(bytes, limit: FlowLimits.documentSize)
    guard case .array(let targets)? = json["targets"] else { throw .noFlow("The manifest has no array “targets”.") }
    self.targets = targets.compactMap(Target.init)
    guard !self.targets.isEmpty else { throw .noFlow("The manifest has no target.") }
  }
}

extension FlowManifest.Target {
  fileprivate init?(_ json: JSONValue) {
    guard let id = json["id"]?.stringValue, let name = json["name"]?.stringValue,
      case .integer(let priority)? = json["priority"]
    else { return nil }
    var choices: [FlowManifest.Choice] = []
    if case .array(let values)? = json["onboardings"] { choices = values.compactMap(FlowManifest.Choice.init) }
    var rules: [FlowManifest.Rule] = []
    if case .array(let values)? = json["rules"]?["rules"] {
      // A rule that cannot be read holds for nobody: it must not widen its target.
      rules = values.map {
        FlowManifest.Rule(
          attribute: $0["attribute"]?.stringValue ?? "", operator: $0["operator"]?.stringValue ?? "",
          value: $0["value"]?.stringValue ?? "")
      }
    }
    let match = json["rules"]?["match"]?.stringValue
    self.init(
      id: id, name: name, priority: priority, matchesAll: match == nil || match == "all", rules: rules,
      onboardings: choices)
  }
}

extension FlowManifest.Choice {
  fileprivate init?(_ json: JSONValue) {
    guard let id = json["id"]?.stringValue, let url = json["url"]?.stringValue,
      case .integer(let allocation)? = json["allocation"]
    else { return nil }
    self.init(
      id: id, allocation: min(100, max(0, allocation)), url: url, versionId: json["version_id"]?.stringValue)
  }
}
