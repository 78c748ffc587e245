import TesseraCryptography
import TesseraSmartCard

/// Behaviour that deviates from the standards and that readers meet in the field. A reader has to read the chip all the
/// same, or to say what it could not read.
package struct ChipQuirks: Sendable, Equatable {
  /// How a command is refused.
  package struct Refusal: Sendable, Equatable {
    package var status: UInt16
    /// Whether the answer to a protected command is not protected, which ends the session.
    package var isPlain: Bool

    package init(_ status: UInt16, isPlain: Bool = false) {
      self.status = status
      self.isPlain = isPlain
    }
  }

  /// Where a quirk has effect.
  package enum Place: Sendable, Equatable {
    case everywhere
    case masterFile
    case application
  }

  /// One command, or a kind of commands, that is refused without being executed.
  package struct Interruption: Sendable, Equatable {
    /// The number of the command since the chip was made, counted from 0.
    package var command: Int
    package var refusal: Refusal
    /// Whether every later command with the same instruction and parameters is refused, too.
    package var isPermanent: Bool

    package init(at command: Int, _ refusal: Refusal, isPermanent: Bool = false) {
      self.command = command
      self.refusal = refusal
      self.isPermanent = isPermanent
    }
  }

  /// READ BINARY of more bytes than the file has from the offset on is refused.
  package var pastEnd: Refusal?
  package var placeOfPastEnd = Place.everywhere
  /// READ BINARY of more than `longestRead` bytes is refused.
  package var longRead: Refusal?
  package var longestRead = 256
  /// READ BINARY with a short file identifier is refused.
  package var shortFileIdentifiers: Refusal?
  /// The status of READ BINARY of a file, by its identifier.
  package var unreadable: [UInt16: UInt16] = [:]
  /// The status of an instruction under secure messaging.
  package var instructions: [UInt8: UInt16] = [:]
  /// The status of MSE:Set AT of PACE.
  package var paceSelection: UInt16?
  /// The status of EXTERNAL AUTHENTICATE with a wrong key.
  package var wrongBasicAccessKey: UInt16 = 0x6300
  /// EXTERNAL AUTHENTICATE has status 6700 if it does not expect 40 bytes.
  package var requiresExpectedLength = false
  /// The status of the last step of PACE with a wrong password.
  package var wrongPACEPassword: UInt16 = 0x6300
  /// The status outside of a protected response, whatever the protected status is.
  package var outerStatus: UInt16?
  /// The status of a read that reaches the end of the file and was for more bytes.
  package var endOfFile: UInt16 = 0x6282
  /// A response of more than 256 bytes arrives in parts (61xx), even if the command had extended length.
  package var splitsLongResponses = false
  /// The number of bytes of the nonce of PACE; nil for the block size of the cipher.
  package var nonceLength: Int?
  /// The hash function of ECDSA in Active Authentication; nil for the one that DG14 states.
  package var signatureHash: HashAlgorithm?
  package var interruption: Interruption?
  /// The only P2 of SELECT that is not refused with 6A86; nil for the usual ones.
  package var selectionParameter: UInt8?
  /// GET CHALLENGE has status 6985 for so long after SELECT of the application.
  package var settlingTime = Duration.zero
  /// Another application is selected at power-up. It has a file with the short identifier of EF.CardAccess.
  package var hasOtherApplication = false
  /// The status of MSE:Set AT of PACE if it does not name the domain parameters.
  package var paceWithoutParameters: UInt16?
  /// The response to READ BINARY with the odd instruction is the bytes of the file, without a data object.
  package var omitsBlockObject = false
  /// The status object of a protected response comes before the cryptogram.
  package var sendsStatusFirst = false
  /// The status of MSE:Set KAT.
  package var keyAgreementTemplate: UInt16?
  /// The status of GENERAL AUTHENTICATE of Chip Authentication if MSE:Set AT did not name the key.
  package var unnamedChipKey: UInt16?
  /// No application is selected after Chip Authentication.
  package var leavesApplication = false
  /// INTERNAL AUTHENTICATE has status 6Cxx if it does not expect exactly the signature.
  package var requiresSignatureLength = false

  package init() {}
}
