import Foundation

/// Why an effect of a pattern was not felt.
public enum EffectOmission: Error, Sendable, Hashable {
  /// Other programs hold the device's slots.
  case slotsTaken
  /// What this player plays needs more effects at once than the device has slots, and nobody else holds any.
  case tooFewSlots(Int)
  /// The device's driver refused it, with this `errno`.
  case refused(code: Int32)
  /// The device took so long for what came before that its time was over.
  case late

  var cause: String {
    switch self {
    case .slotsTaken: "other programs hold the device's slots"
    case .tooFewSlots(let slots): "the pattern needs more effects at once than the device holds (\(slots))"
    case .refused(let code): "the device's driver refused the upload (\(String(cString: strerror(code)).lowercased()))"
    case .late: "the device was too slow for the pattern"
    }
  }
}
