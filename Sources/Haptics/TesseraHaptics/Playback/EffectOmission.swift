import Glibc

/// The reason why an effect of a pattern was not played.
public enum EffectOmission: Error, Sendable, Hashable {
  /// Other programs use the device's slots.
  case slotsTaken
  /// The patterns need more effects at once than the device has slots, and no other program uses any.
  case tooFewSlots(Int)
  /// The driver refused the effect with this `errno`.
  case refused(code: Int32)
  /// The device was too slow: the effect would have started after its end.
  case late

  var cause: String {
    switch self {
    case .slotsTaken: "other programs use the device's slots"
    case .tooFewSlots(let slots): "the pattern needs more effects at once than the device can store (\(slots))"
    case .refused(let code): "the device's driver refused the upload (\(String(cString: strerror(code)).lowercased()))"
    case .late: "the device was too slow for the pattern"
    }
  }
}
