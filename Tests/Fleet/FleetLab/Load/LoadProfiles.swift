package import TesseraVirtualChip

/// Which documents the desks of a process read.
package struct LoadProfiles: Sendable {
  package let profiles: [ChipProfile]
  /// As an argument of a process: `all`, `quick`, or the names of profiles.
  package let argument: String

  /// Every profile of the virtual chip.
  package static let all = LoadProfiles(ChipProfile.all, "all")
  /// Those whose chips respond at once, so that the time of a read is the time of its computation.
  package static let quick = LoadProfiles(
    ChipProfile.all.filter { !["fault-slow", "fault-lost"].contains($0.name) }, "quick")

  package init(_ profiles: [ChipProfile]) {
    self.init(profiles, profiles.map(\.name).joined(separator: ","))
  }

  /// - Returns: nil if a profile has no such name.
  package init?(argument: String) {
    switch argument {
    case "all": self = .all
    case "quick": self = .quick
    default:
      let names = argument.split(separator: ",").map(String.init)
      let profiles = names.compactMap { ChipProfile(named: $0) }
      guard !names.isEmpty, profiles.count == names.count else { return nil }
      self.init(profiles)
    }
  }

  private init(_ profiles: [ChipProfile], _ argument: String) {
    self.profiles = profiles
    self.argument = argument
  }
}
