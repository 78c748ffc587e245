import TesseraVirtualChip

/// Which documents the desks read.
enum LoadProfiles: String {
  /// Every profile of the virtual chip.
  case all
  /// Those whose chips respond at once, so that the time of a read is the time of its computation.
  case quick

  var profiles: [ChipProfile] {
    switch self {
    case .all: ChipProfile.all
    case .quick: ChipProfile.all.filter { !["fault-slow", "fault-lost"].contains($0.name) }
    }
  }
}
