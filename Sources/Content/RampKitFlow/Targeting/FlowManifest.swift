internal import TesseraJSON

/// Which flows there are for an application, and for whom (Flows.md, rules 1 to 3).
public struct FlowManifest: Sendable, Equatable {
  public var targets: [Target] = []

  /// Users who see one of some flows.
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
    /// The share of users who see it, in percent.
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

/// Chooses the flow for the user.
public enum Targeting {
  /// The choice and why.
  public struct Result: Sendable, Equatable {
    public var target: FlowManifest.Target
    public var choice: FlowManifest.Choice
    /// The user's bucket, 0 to 99; 0 if there was nothing to choose.
    public var bucket: Int
  }

  /// The first target that matches, in the order of their priorities; if none does, the last one. Inside of it, the
  /// user's bucket decides.
  ///
  /// - Returns: nil if that target has no flow.
  public static func choose(
    from manifest: FlowManifest, for context: TargetingContext, userId: String
  ) -> Result? {
    // Stable: targets of one priority keep their order in the manifest.
    let targets = manifest.targets.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    .map(\.element)
    guard let target = targets.first(where: { $0.matches(context) }) ?? targets.last, let last = target.onboardings.last
    else { return nil }
    guard target.onboardings.count > 1 else { return Result(target: target, choice: last, bucket: 0) }
    let bucket = bucket(of: userId)
    var sum: Int64 = 0
    for choice in target.onboardings {
      sum += choice.allocation
      if Int64(bucket) < sum { return Result(target: target, choice: choice, bucket: bucket) }
    }
    return Result(target: target, choice: last, bucket: bucket)
  }

  /// The bucket of the user, 0 to 99: djb2 over the UTF-8 of the identifier, with 32 bits without a sign.
  public static func bucket(of userId: String) -> Int {
    var hash: UInt32 = 5381
    for byte in userId.utf8 { hash = hash &* 33 &+ UInt32(byte) }
    return Int(hash % 100)
  }
}

extension FlowManifest.Target {
  func matches(_ context: TargetingContext) -> Bool {
    guard !rules.isEmpty else { return true }
    return matchesAll ? rules.allSatisfy { $0.holds(in: context) } : rules.contains { $0.holds(in: context) }
  }
}
