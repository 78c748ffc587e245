import RampKitFlow
import TesseraJSON
import Testing

@Suite struct TargetingTests {
  private static func holds(_ attribute: String, _ operation: String, _ value: String) -> Bool {
    var context = TargetingContext()
    context.daysSinceInstall = 3
    context.language = "de"
    context.osVersion = "6.8"
    return FlowManifest.Rule(attribute: attribute, operator: operation, value: value).holds(in: context)
  }

  @Test(arguments: [
    ("device.language", "equals", "de", true), ("device.language", "equals", "DE", false),
    ("device.language", "not_equals", "fr", true), ("device.language", "not_equals", "de", false),
    ("device.locale", "contains", "EN_", true), ("device.locale", "contains", "fr", false),
    ("device.osVersion", "starts_with", "6.", true), ("device.osVersion", "starts_with", "5", false),
    ("user.daysSinceInstall", "greater_than", "2", true), ("user.daysSinceInstall", "greater_than", "3", false),
    ("user.daysSinceInstall", "less_than", "3.5", true), ("user.daysSinceInstall", "less_than", "x", false),
    ("device.osVersion", "greater_than", "5", false),
    ("user.isNewUser", "is_true", "", true), ("user.isNewUser", "is_false", "", false),
    ("user.isNewUser", "equals", "true", true), ("device.language", "is_true", "", false),
    ("user.hasAppleSearchAdsAttribution", "is_false", "", true),
    ("user.daysSinceInstall", "equals", "3", true),
    // Unknown operators, unknown attributes and attributes without a value.
    ("device.language", "matches", "de", false), ("device.color", "equals", "", false),
    ("device", "equals", "", false), ("device.language.code", "equals", "de", false),
    ("user.subscriptionStatus", "not_equals", "x", false), ("asa.keyword", "equals", "", false),
    ("cpp.pageId", "not_equals", "x", false), ("app.version", "equals", "1.0.0", true),
    ("device.platform", "equals", "Linux", true),
  ])
  func operators(attribute: String, operation: String, value: String, expected: Bool) {
    #expect(Self.holds(attribute, operation, value) == expected)
  }

  @Test func thePriorityDecidesAndTheLastTargetIsForEverybodyElse() throws {
    let manifest = try FlowManifest(try Samples.bytes("rampkit-manifest"))
    var context = TargetingContext()
    context.language = "de"
    #expect(Targeting.choose(from: manifest, for: context, userId: "anonymous")?.choice.id == "ob-de")
    context.isNewUser = false
    // Bucket 98 is beyond the first half.
    let other = try #require(Targeting.choose(from: manifest, for: context, userId: "anonymous"))
    #expect(other.choice.id == "ob-alt" && other.bucket == 98 && other.target.id == "t-all")
    let strict = FlowManifest(targets: [
      .init(
        id: "a", name: "a", priority: 5, rules: [.init(attribute: "device.language", operator: "equals", value: "xx")],
        onboardings: [.init(id: "one", allocation: 10, url: "https://a.example/")]),
      .init(
        id: "b", name: "b", priority: 1, rules: [.init(attribute: "no", operator: "equals", value: "")],
        onboardings: [.init(id: "two", allocation: 10, url: "https://a.example/")]),
    ])
    #expect(Targeting.choose(from: strict, for: context, userId: "x")?.choice.id == "one")
  }

  @Test func anyRuleIsEnoughUnlessAllMustHold() {
    var target = FlowManifest.Target(
      id: "a", name: "a", priority: 0, matchesAll: false,
      rules: [
        .init(attribute: "device.language", operator: "equals", value: "xx"),
        .init(attribute: "user.isNewUser", operator: "is_true", value: ""),
      ], onboardings: [.init(id: "yes", allocation: 1, url: "https://a.example/")])
    let rest = FlowManifest.Target(
      id: "z", name: "z", priority: 9, onboardings: [.init(id: "no", allocation: 1, url: "https://a.example/")])
    let context = TargetingContext()
    #expect(Targeting.choose(from: .init(targets: [rest, target]), for: context, userId: "")?.choice.id == "yes")
    target.matchesAll = true
    #expect(Targeting.choose(from: .init(targets: [rest, target]), for: context, userId: "")?.choice.id == "no")
  }

  @Test func aTargetWithoutAFlowHasNoResult() {
    let manifest = FlowManifest(targets: [.init(id: "a", name: "a", priority: 0)])
    #expect(Targeting.choose(from: manifest, for: TargetingContext(), userId: "x") == nil)
    #expect(Targeting.choose(from: FlowManifest(targets: []), for: TargetingContext(), userId: "x") == nil)
  }

  @Test func buckets() throws {
    let vectors = try Samples.json("rampkit-buckets").elements("vectors")
    #expect(vectors.count == 5)
    for vector in vectors {
      let bucket = Targeting.bucket(of: vector["userId"]?.stringValue ?? "")
      #expect(.integer(Int64(bucket)) == vector["unsignedUtf8"], "\(vector.text)")
    }
  }

  @Test func sharesBelowOneHundredGiveTheRestToTheLastFlow() {
    let manifest = FlowManifest(targets: [
      .init(
        id: "a", name: "a", priority: 0,
        onboardings: [
          .init(id: "one", allocation: 1, url: "https://a.example/"),
          .init(id: "two", allocation: 1, url: "https://b.example/"),
        ])
    ])
    // Bucket 98.
    #expect(Targeting.choose(from: manifest, for: TargetingContext(), userId: "anonymous")?.choice.id == "two")
  }

  @Test(arguments: ["", "[]", "{}", #"{"targets":[]}"#, #"{"targets":{}}"#, #"{"targets":[{"id":1}]}"#])
  func badManifests(text: String) { #expect(throws: FlowDocumentError.self) { try FlowManifest(text.utf8) } }
}
