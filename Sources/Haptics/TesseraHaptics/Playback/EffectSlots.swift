import Glibc

/// The effects of this process that are uploaded to a device. Each effect is uploaded once and started as often as
/// needed. If there is no free slot, the least recently used effect is erased, but never one that is being played or is
/// about to be.
struct EffectSlots {
  typealias Instant = ContinuousClock.Instant

  private struct Slot {
    let id: Int16
    /// A counter; the lowest value is the least recently used.
    var lastUse: UInt64
    /// The effect must not be erased before.
    var neededUntil: Instant
    /// The playback that started the effect last.
    var playback: Int?
  }

  private var slots: [ForceEffect: Slot] = [:]
  private var uses: UInt64 = 0

  var count: Int { slots.count }

  /// The device's identifier of an effect, which is uploaded if necessary.
  ///
  /// - Parameter neededUntil: The end of the effect.
  /// - Returns: Why the effect is omitted if there is no free slot or the device refuses it.
  /// - Throws: `EffectDeviceError.disconnected` and `.unserved` only.
  mutating func id(
    of effect: ForceEffect, neededUntil: Instant, now: Instant, on device: any EffectDevice
  ) throws(EffectDeviceError) -> Result<Int16, EffectOmission> {
    uses &+= 1
    if let slot = slots[effect] {
      slots[effect]?.lastUse = uses
      slots[effect]?.neededUntil = max(slot.neededUntil, neededUntil)
      return .success(slot.id)
    }
    // The limit is exceeded only for effects that are being played.
    if slots.count >= Self.limit(device.slots), try !releaseOldest(now, on: device), slots.count >= device.slots {
      return .failure(.tooFewSlots(device.slots))
    }
    while true {
      do {
        let id = try device.upload(effect)
        slots[effect] = Slot(id: id, lastUse: uses, neededUntil: neededUntil)
        return .success(id)
      } catch {
        switch error {
        case .disconnected, .unserved: throw error
        case .refused(let code): return .failure(.refused(code: code))
        // Erase one of this process's effects. Other programs use the remaining slots.
        case .full:
          guard try !releaseOldest(now, on: device) else { continue }
          return .failure(slots.count < device.slots ? .slotsTaken : .tooFewSlots(device.slots))
        }
      }
    }
  }

  /// - Parameter end: The end of the effect.
  mutating func started(_ effect: ForceEffect, by playback: Int, until end: Instant) {
    guard var slot = slots[effect] else { return }
    slot.playback = playback
    slot.neededUntil = max(slot.neededUntil, end)
    slots[effect] = slot
  }

  /// Stops the effects of a playback that are still being played.
  mutating func stop(_ playback: Int, now: Instant, on device: any EffectDevice) throws(EffectDeviceError) {
    for (effect, slot) in slots where slot.playback == playback {
      if slot.neededUntil > now { try device.stop(slot.id) }
      slots[effect]?.neededUntil = now
      slots[effect]?.playback = nil
    }
  }

  /// The number of slots to use at most, if possible: a quarter is left to other programs. All patterns of `HapticWord`
  /// fit.
  static func limit(_ total: Int) -> Int { max(1, total - max(1, total / 4)) }

  /// Erases effects beyond the limit.
  mutating func releaseExcess(now: Instant, on device: any EffectDevice) throws(EffectDeviceError) {
    while slots.count > Self.limit(device.slots), try releaseOldest(now, on: device) {}
  }

  /// Erases the least recently used effect.
  ///
  /// - Returns: Whether there was one.
  private mutating func releaseOldest(_ now: Instant, on device: any EffectDevice) throws(EffectDeviceError) -> Bool {
    let oldest = slots.filter { $0.value.neededUntil <= now }.min { $0.value.lastUse < $1.value.lastUse }
    guard let oldest else { return false }
    slots[oldest.key] = nil
    do {
      try device.erase(oldest.value.id)
    } catch {
      // After any other error the slot is free as well.
      if case .disconnected = error { throw error }
    }
    return true
  }
}

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
