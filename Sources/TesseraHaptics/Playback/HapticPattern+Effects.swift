/// The translation of a pattern into effects of a device:
///
/// - `FF_RUMBLE` if the device announces it: it is the only effect with separate levels for the two motors. The kernel
///   also announces it for devices with waveforms only, and plays a sine wave instead.
/// - A pulse with an attack needs an envelope, which `FF_RUMBLE` does not have. If the device plays sine waves and both
///   levels are equal, the pulse becomes one sine wave with an envelope. A wave has one level only, so a pulse with
///   different levels becomes several steps of rumble instead.
/// - A device with sine waves and without rumble gets a sine wave with the level that the kernel would choose: two
///   thirds of the strong level plus one third of the weak level.
extension HapticPattern {
  func effects(on features: ForceFeatures) -> [TimedEffect] {
    // A pulse with both levels 0 is a pause.
    pulses.filter { $0.strong > 0 || $0.weak > 0 }.flatMap { $0.effects(on: features) }.sorted { $0.start < $1.start }
  }
}

extension HapticPulse {
  /// A motor is too slow for shorter steps. In milliseconds.
  private static let stepLength = 30
  private static let mostSteps = 3

  func effects(on features: ForceFeatures) -> [TimedEffect] {
    if !features.hasRumble { return [sine((2 * strong + weak) / 3)] }
    let steps = min(attack / Self.stepLength, Self.mostSteps)
    guard steps > 0 else { return [rumble(1, from: start, to: end)] }
    if features.hasSineEnvelope, strong == weak { return [sine(strong)] }
    let stepLength = attack / steps
    let plateau = start + steps * stepLength
    let stairs = (0..<steps).map { step in
      rumble(
        Double(step + 1) / Double(steps + 1), from: start + step * stepLength, to: start + (step + 1) * stepLength)
    }
    return plateau < end ? stairs + [rumble(1, from: plateau, to: end)] : stairs
  }

  private func rumble(_ share: Double, from start: Int, to end: Int) -> TimedEffect {
    let force = ForceEffect.Force.rumble(
      strong: ForceEffect.magnitude(strong * share), weak: ForceEffect.magnitude(weak * share))
    return TimedEffect(start: start, effect: ForceEffect(force: force, length: UInt16(clamping: end - start)))
  }

  private func sine(_ level: Double) -> TimedEffect {
    let force = ForceEffect.Force.sine(
      magnitude: ForceEffect.magnitude(level, full: 0x7FFF), attack: UInt16(clamping: attack))
    return TimedEffect(start: start, effect: ForceEffect(force: force, length: UInt16(clamping: length)))
  }
}
