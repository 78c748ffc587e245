/// What the virtual component of a digital travel credential is bound to (ICAO TR "Digital Travel Credentials": types 1
/// to 3).
public enum CredentialBinding: String, Sendable, Codable, CaseIterable {
  /// Type 1: to the chip of a passport, whose EF.SOD it has.
  case passport
  /// Type 2: to the chip of a passport and to a device of the holder. It has EF.SOD and a signature of its own.
  case passportAndDevice
  /// Type 3: to a device of the holder only. It has a signature of its own, and no EF.SOD.
  case device
  /// To nothing: it has neither EF.SOD nor a signature of its own.
  case nothing

  /// - Parameters:
  ///   - hasSecurityObject: whether it has EF.SOD.
  ///   - hasOwnSignature: whether it has a part of the signature of the credential.
  package init(hasSecurityObject: Bool, hasOwnSignature: Bool) {
    self =
      switch (hasSecurityObject, hasOwnSignature) {
      case (true, false): .passport
      case (true, true): .passportAndDevice
      case (false, true): .device
      case (false, false): .nothing
      }
  }

  /// Whether the credential has a signature beside that of EF.SOD.
  package var hasOwnSignature: Bool { self == .passportAndDevice || self == .device }
}
