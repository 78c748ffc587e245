/// Chooses the flow for a person.
public enum Targeting {
  /// The choice and why.
  public struct Result: Sendable, Equatable {
    public var target: FlowManifest.Target
    public var choice: FlowManifest.Choice
    /// The person's bucket, 0 to 99; 0 if there was nothing to choose.
    public var bucket: Int
  }

  /// The first target that matches, in the order of their priorities; if none does, the last one. Inside of it, the
  /// person's bucket decides.
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

  /// The bucket of a person, 0 to 99: djb2 over the UTF-8 of the identifier, with 32 bits without a sign.
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
