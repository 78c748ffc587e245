/// The effects of ours that a device holds. Each content is uploaded once and started as often as it is wanted; where
/// there is no room, the one that was used longest ago gives way, but never one that is felt or about to be.
struct EffectSlots {
  typealias Instant = ContinuousClock.Instant

  private struct Slot {
    let id: Int16
    /// Counts up; the least was used longest ago.
    var lastUse: UInt64
    /// Until then it must stay.
    var neededUntil: Instant
    /// The playback that started it last.
    var playback: Int?
  }

  private var held: [ForceEffect: Slot] = [:]
  private var uses: UInt64 = 0

  var count: Int { held.count }

  /// The number of an effect at the device, uploaded if it must be.
  ///
  /// - Parameter neededUntil: when it will have been felt.
  /// - Returns: why there is none where no room can be made or the device refuses it: nothing is felt then.
  /// - Throws: `EffectDeviceError.gone` only.
  mutating func id(
    of effect: ForceEffect, neededUntil: Instant, now: Instant, on device: any EffectDevice
  ) throws(EffectDeviceError) -> Result<Int16, EffectOmission> {
    uses &+= 1
    if let slot = held[effect] {
      held[effect]?.lastUse = uses
      held[effect]?.neededUntil = max(slot.neededUntil, neededUntil)
      return .success(slot.id)
    }
    // More than our share only for what is felt at this moment.
    if held.count >= Self.share(device.slots), try !release(now, on: device), held.count >= device.slots {
      return .failure(.tooFewSlots(device.slots))
    }
    while true {
      do {
        let id = try device.upload(effect)
        held[effect] = Slot(id: id, lastUse: uses, neededUntil: neededUntil)
        return .success(id)
      } catch {
        switch error {
        case .gone: throw error
        case .refused(let code): return .failure(.refused(code: code))
        // One of ours makes room. Others hold what we do not.
        case .full:
          guard try !release(now, on: device) else { continue }
          return .failure(held.count < device.slots ? .slotsTaken : .tooFewSlots(device.slots))
        }
      }
    }
  }

  /// - Parameter end: until when it is felt.
  mutating func started(_ effect: ForceEffect, by playback: Int, until end: Instant) {
    guard var slot = held[effect] else { return }
    slot.playback = playback
    slot.neededUntil = max(slot.neededUntil, end)
    held[effect] = slot
  }

  /// Ends what a playback started and what is felt still.
  mutating func stop(_ playback: Int, now: Instant, on device: any EffectDevice) throws(EffectDeviceError) {
    for (effect, slot) in held where slot.playback == playback {
      if slot.neededUntil > now { try device.stop(slot.id) }
      held[effect]?.neededUntil = now
      held[effect]?.playback = nil
    }
  }

  /// How many effects of ours a device holds while it can be helped: a quarter of its slots is for others, so that a long
  /// pattern starves nobody. The vocabulary fits.
  static func share(_ slots: Int) -> Int { max(1, slots - max(1, slots / 4)) }

  /// Gives back what is more than our share.
  mutating func rest(now: Instant, on device: any EffectDevice) throws(EffectDeviceError) {
    while held.count > Self.share(device.slots), try release(now, on: device) {}
  }

  /// - Returns: whether one could give way.
  private mutating func release(_ now: Instant, on device: any EffectDevice) throws(EffectDeviceError) -> Bool {
    let oldest = held.filter { $0.value.neededUntil <= now }.min { $0.value.lastUse < $1.value.lastUse }
    guard let oldest else { return false }
    held[oldest.key] = nil
    do {
      try device.erase(oldest.value.id)
    } catch {
      // Whatever else it says: the number is no longer ours.
      if case .gone = error { throw error }
    }
    return true
  }
}
