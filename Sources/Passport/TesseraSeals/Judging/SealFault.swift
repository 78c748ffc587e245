/// Why a seal is not genuine, or why that is not established.
struct SealFault: Sendable, Equatable {
  /// The steps of a validation, in the order of Doc 9303-13, appendix D.
  enum Step: Int, Sendable, Comparable {
    case format, certificate, chain, validity, signature, sealZone, document

    static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
  }

  let step: Step
  let reason: SealReason
  /// nil for what only Tessera asks for.
  let indication: SealStatus.Indication?
  /// Whether it proves that the seal is not genuine. Otherwise it only leaves the question open.
  let isProof: Bool

  init(_ step: Step, _ reason: SealReason, _ indication: SealStatus.Indication?, isProof: Bool = false) {
    self.step = step
    self.reason = reason
    self.indication = indication
    self.isProof = isProof
  }
}

/// A check with what it has against the seal.
struct JudgedCheck {
  let check: SealCheck
  let faults: [SealFault]

  init(_ check: SealCheck, _ faults: SealFault...) { self.init(check, faults: faults) }

  init(_ check: SealCheck, faults: [SealFault]) {
    self.check = check
    self.faults = faults
  }
}
