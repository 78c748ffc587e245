import TesseraPassport

/// A file of the master file, outside the application (Doc 9303-10, 3.11). EF.CardAccess is an `ElementaryFile`.
public enum MasterFile: UInt16, Sendable, CaseIterable {
  /// EF.DIR: the applications.
  case directory = 0x2F00
  /// EF.ATR/INFO: the APDU lengths that the chip supports.
  case information = 0x2F01
  /// EF.CardSecurity: the keys for Chip Authentication Mapping, signed.
  case cardSecurity = 0x011D

  /// nil for a file of the application, and for EF.CardAccess.
  init?(_ file: ElementaryFile) {
    switch file {
    case .directory: self = .directory
    case .cardInformation: self = .information
    case .cardSecurity: self = .cardSecurity
    default: return nil
    }
  }

  var shortIdentifier: UInt8 {
    switch self {
    case .directory: 0x1E
    case .information: 0x01
    case .cardSecurity: 0x1D
    }
  }

  public var name: String {
    switch self {
    case .directory: "EF.DIR"
    case .information: "EF.ATR/INFO"
    case .cardSecurity: "EF.CardSecurity"
    }
  }
}
