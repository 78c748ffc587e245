/// A finger of a person, with its name in fprintd.
///
/// Source: fprintd 1.94, net.reactivated.Fprint.Device.xml, "Fingerprint names".
public enum Finger: String, Sendable, CaseIterable {
  case leftThumb = "left-thumb"
  case leftIndex = "left-index-finger"
  case leftMiddle = "left-middle-finger"
  case leftRing = "left-ring-finger"
  case leftLittle = "left-little-finger"
  case rightThumb = "right-thumb"
  case rightIndex = "right-index-finger"
  case rightMiddle = "right-middle-finger"
  case rightRing = "right-ring-finger"
  case rightLittle = "right-little-finger"

  /// The name for the user, as in "with your right index finger".
  public var words: String { rawValue.replacing("-", with: " ") }
}

/// The finger that each try of a verification compares with.
///
/// A reader that can identify compares with all enrolled fingers at once. Any other compares with one: fprintd selects the
/// first one for "any" and says so. Each next try is then for the next finger, so that every enrolled one can answer.
struct FingerTurns: Equatable {
  /// One for each try; nil for all enrolled fingers.
  let tries: [Finger?]

  /// - Parameters:
  ///   - enrolled: The names of the enrolled fingers, in the order of the service.
  ///   - selected: The name that the service selected for "any", which is "any" if the reader can identify; nil if it
  ///     selected none.
  ///   - count: The number of tries. There are more if there are more fingers.
  init(enrolled: [String], selected: String?, count: Int) {
    guard let first = selected.flatMap(Finger.init) else {
      tries = Array(repeating: nil, count: count)
      return
    }
    var fingers = [first]
    let known = enrolled.compactMap(Finger.init)
    let start = known.firstIndex(of: first) ?? 0
    for finger in known[start...] + known[..<start] where !fingers.contains(finger) { fingers.append(finger) }
    tries = (0..<max(count, fingers.count)).map { fingers[$0 % fingers.count] }
  }
}
