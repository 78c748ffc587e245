/// The translation of a pattern into effects of a device:
///
/// - `FF_RUMBLE` for motors: it is the only effect with separate levels for the two motors. It has no envelope, so a pulse
///   with an attack becomes several steps; or a sine wave with an envelope, if both levels are equal and the device follows
///   envelopes.
/// - A sine wave with an envelope for a device that makes waves, with the level that the kernel would choose for
///   `FF_RUMBLE`: two thirds of the strong level plus one third of the weak level.
/// - One motor plays the higher level, of which the weak motor counts for 60 %, so that an effect for the weak motor alone
///   stays the lighter one.
/// - A motor that is on or off plays the predefined effects as `HapticPattern.onOff` says.
extension HapticPattern {
  func effects(on rules: EffectRules) -> [TimedEffect] {
    let pulses = rules.motors == .oneOnOff && !onOff.isEmpty ? onOff : pulses
    // A pulse with both levels 0 is a pause.
    return pulses.filter { $0.strong > 0 || $0.weak > 0 }.flatMap { $0.effects(on: rules) }
      .sorted { $0.start < $1.start }
  }
}

extension HapticPulse {
  /// The largest number of steps: each needs a slot while the pulse is played, or two if steps follow each other.
  private static let mostSteps = (added: 5, inSequence: 3)
  /// How much later than planned an added step may start, in milliseconds; the kernel also ends an effect up to 8 ms late.
  private static let lateness = 4
  private static let weightOfWeakMotor = 0.6

  func effects(on rules: EffectRules) -> [TimedEffect] {
    if rules.motors == .waves { return [sine((2 * strong + weak) / 3)] }
    let levels = levels(rules.motors)
    guard rules.motors != .oneOnOff else { return [rumble(levels, 1, from: start, to: end)] }
    if rules.hasEnvelope, strong == weak, attack >= rules.stepLength { return [sine(strong)] }
    return rules.addsUp ? addedSteps(levels, rules.stepLength) : stepsInSequence(levels, rules.stepLength)
  }

  private func levels(_ motors: RumbleMotors) -> (strong: Double, weak: Double) {
    switch motors {
    case .two, .waves: return (strong, weak)
    case .twoWeakOnOff:
      // Any level above zero is the full one.
      return (strong, weak >= 0.5 || strong == 0 ? weak : 0)
    case .one:
      let level = max(strong, Self.weightOfWeakMotor * weak)
      return (level, level)
    case .oneOnOff: return (1, 1)
    }
  }

  /// Steps that begin one after the other and end together, each of which adds its part: so there is neither a gap nor an
  /// overlap between two, whose times are not exact. The level of a step is that of the middle of its time.
  private func addedSteps(_ levels: (strong: Double, weak: Double), _ stepLength: Int) -> [TimedEffect] {
    guard attack >= stepLength else { return [rumble(levels, 1, from: start, to: end)] }
    let steps = min((attack + stepLength - 1) / stepLength, Self.mostSteps.added)
    let half = 0.5 / Double(steps)
    return (0...steps).compactMap { step in
      let begin = start + step * attack / steps
      let end = step == 0 ? end : end - Self.lateness
      guard begin < end else { return nil }
      return rumble(levels, step == 0 || step == steps ? half : 2 * half, from: begin, to: end)
    }
  }

  private func stepsInSequence(_ levels: (strong: Double, weak: Double), _ stepLength: Int) -> [TimedEffect] {
    let steps = min(attack / stepLength, Self.mostSteps.inSequence)
    guard steps > 0 else { return [rumble(levels, 1, from: start, to: end)] }
    let stepLength = attack / steps
    let plateau = start + steps * stepLength
    let stairs = (0..<steps).map { step in
      rumble(
        levels, Double(step + 1) / Double(steps + 1), from: start + step * stepLength,
        to: start + (step + 1) * stepLength)
    }
    return plateau < end ? stairs + [rumble(levels, 1, from: plateau, to: end)] : stairs
  }

  private func rumble(
    _ levels: (strong: Double, weak: Double), _ share: Double, from start: Int, to end: Int
  ) -> TimedEffect {
    let force = ForceEffect.Force.rumble(
      strong: ForceEffect.magnitude(levels.strong * share), weak: ForceEffect.magnitude(levels.weak * share))
    return TimedEffect(start: start, effect: ForceEffect(force: force, length: UInt16(clamping: end - start)))
  }

  private func sine(_ level: Double) -> TimedEffect {
    let force = ForceEffect.Force.sine(
      magnitude: ForceEffect.magnitude(level, full: 0x7FFF), attack: UInt16(clamping: attack))
    return TimedEffect(start: start, effect: ForceEffect(force: force, length: UInt16(clamping: length)))
  }
}
