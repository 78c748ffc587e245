/// The patterns of the predefined effects. Edit this table to change them; `HapticPatternTests` verifies its rules.
///
/// A row contains the start and the length of a pulse (milliseconds), the levels of the strong motor (slow, heavy) and
/// of the weak motor (fast, light) from 0 to 1, and optionally the attack, the number of repetitions and their
/// interval.
///
/// Effects can be distinguished by the motor, the number of pulses, and the attack. Length alone is not enough: a motor
/// needs about 30 ms to start. So no pulse is shorter than 20 ms, and no pattern is longer than 400 ms.
///
/// `onOff` has start and length of the pulses for a motor that is on or off. There, only number and length are felt, and a
/// gap must outlast the motor's run-out: success is short and long, warning long and long, error three times short.
extension HapticWord {
  public var pattern: HapticPattern {
    switch self {
    // The weakest noticeable pulse.
    case .selection:
      HapticPattern(rows: row(at: 0, length: 20, strong: 0, weak: 0.5), onOff: [(0, 20)])

    // Three levels, from the weak motor alone to both motors.
    case .impact(.light):
      HapticPattern(rows: row(at: 0, length: 40, strong: 0, weak: 0.7), onOff: [(0, 40)])
    case .impact(.medium):
      HapticPattern(rows: row(at: 0, length: 60, strong: 0.5, weak: 0.5), onOff: [(0, 70)])
    case .impact(.heavy):
      HapticPattern(rows: row(at: 0, length: 110, strong: 1, weak: 0.6), onOff: [(0, 120)])

    // Short without an attack, and long with an attack.
    case .impact(.rigid):
      HapticPattern(rows: row(at: 0, length: 30, strong: 1, weak: 1), onOff: [(0, 30), (80, 30)])
    case .impact(.soft):
      HapticPattern(rows: row(at: 0, length: 180, strong: 0.4, weak: 0.4, attack: 60), onOff: [(0, 200)])

    // A weak pulse, then a stronger one.
    case .notification(.success):
      HapticPattern(
        rows: row(at: 0, length: 50, strong: 0, weak: 0.8),
        row(at: 130, length: 90, strong: 0.7, weak: 0.4), onOff: [(0, 50), (150, 150)])
    // Two equal pulses.
    case .notification(.warning):
      HapticPattern(
        rows: row(at: 0, length: 90, strong: 0.8, weak: 0, repeats: 2, every: 180), onOff: [(0, 150), (250, 150)])
    // Three strong pulses.
    case .notification(.error):
      HapticPattern(
        rows: row(at: 0, length: 80, strong: 1, weak: 0.9, repeats: 3, every: 130),
        onOff: [(0, 60), (160, 60), (320, 60)])
    }
  }

  private func row(
    at start: Int, length: Int, strong: Double, weak: Double, attack: Int = 0, repeats: Int = 1, every: Int = 0
  ) -> [HapticPulse] {
    (0..<repeats).map { number in
      HapticPulse(start: start + number * every, length: length, strong: strong, weak: weak, attack: attack)
    }
  }
}

extension HapticWord: CaseIterable {
  public static let allCases =
    Impact.allCases.map(HapticWord.impact) + Notification.allCases.map(HapticWord.notification) + [.selection]
}

extension HapticWord: CustomStringConvertible {
  public var description: String {
    switch self {
    case .impact(let style): "impact \(style.rawValue)"
    case .notification(let type): "notification \(type.rawValue)"
    case .selection: "selection"
    }
  }
}
