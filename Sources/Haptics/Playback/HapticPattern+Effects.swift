/// Which kinds of effect a pattern becomes, and why.
///
/// - `FF_RUMBLE`, wherever it is there: only this addresses the two motors apart. Devices that have waveforms only show
///   it too; the kernel gives them a sine in its place.
/// - A pulse that swells needs an envelope, which `FF_RUMBLE` does not have. Where the device plays a sine and the pulse
///   drives both motors alike, it is a sine (one effect, and the device or the kernel draws the slope); a wave has one
///   level only, so a pulse with different ones is a staircase of rumble instead.
/// - A device that shows a sine but no rumble gets one with the level that the kernel would choose: two parts of the
///   strong motor, one of the weak.
extension HapticPattern {
  func effects(on features: ForceFeatures) -> [TimedEffect] {
    // A pulse without a level is a rest.
    pulses.filter { $0.strong > 0 || $0.weak > 0 }.flatMap { $0.effects(on: features) }.sorted { $0.start < $1.start }
  }
}

extension HapticPulse {
  /// A motor follows no finer steps.
  private static let stepLength = 30
  private static let mostSteps = 3

  func effects(on features: ForceFeatures) -> [TimedEffect] {
    if !features.hasRumble { return [sine((2 * strong + weak) / 3)] }
    let steps = min(attack / Self.stepLength, Self.mostSteps)
    guard steps > 0 else { return [rumble(1, from: start, to: end)] }
    if features.hasSwell, strong == weak { return [sine(strong)] }
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
