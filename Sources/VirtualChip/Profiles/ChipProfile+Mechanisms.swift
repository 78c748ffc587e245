import Cryptography

/// Profiles that no document has.
extension ChipProfile {
  /// Every mechanism at once: all mappings, agreements and ciphers, explicit parameters, several keys.
  public static let mechanisms: ChipProfile = {
    var profile = ChipProfile(
      name: "all", summary: "every mechanism: all of PACE, CA, AA and TA, passwords that are counted",
      requiresBasicAccessControl: true, responseLimit: largestResponse)
    let ciphers = KeyDerivation.Cipher.allCases
    profile.pace =
      AgreementParameters.standardised.map { PACEOffer(.generic, $0 < 8 ? .aes128 : .aes256, AgreementParameters($0)) }
      + ciphers.flatMap { cipher in
        [
          PACEOffer(.generic, cipher, AgreementParameters(12, .explicit)),
          PACEOffer(.integrated, cipher, AgreementParameters(13)),
          PACEOffer(.integrated, cipher, AgreementParameters(0)),
        ]
      }
      + ciphers.filter { $0 != .tripleDES }.map { PACEOffer(.chipAuthentication, $0, AgreementParameters(13)) }
    profile.cardAccessNumber = specimenCardAccessNumber
    profile.tries = [.can: CardPassword.Tries(limit: 3, suspends: true)]
    profile.chipAuthentication = ciphers.enumerated().flatMap { number, cipher in
      [
        ChipAuthenticationOffer(cipher, AgreementParameters(13), keyIdentifier: number * 2 + 1),
        ChipAuthenticationOffer(cipher, AgreementParameters(0, .explicit), keyIdentifier: number * 2 + 2),
      ]
    }
    profile.activeAuthentication = .rsa(bits: 2048, .sha256)
    profile.doesTerminalAuthentication = true
    profile.announcesChaining = true
    return profile
  }()

  /// One for each thing that can be wrong.
  public static let faulty: [ChipProfile] = {
    func profile(_ name: String, _ summary: String, _ change: (inout ChipProfile) -> Void) -> ChipProfile {
      var profile = ChipProfile(
        name: "fault-" + name, summary: summary, requiresBasicAccessControl: true, responseLimit: 4096)
      profile.pace = [PACEOffer(.generic, .aes128, AgreementParameters(13))]
      profile.cardAccessNumber = specimenCardAccessNumber
      profile.announcesChaining = true
      change(&profile)
      return profile
    }
    func fault(_ name: String, _ summary: String, _ fault: ChipFault) -> ChipProfile {
      profile(name, summary) { $0.fault = fault }
    }
    return [
      profile("clone", "the private keys are not those that DG14 and DG15 promise") {
        $0.fault = .clone
        $0.chipAuthentication = [ChipAuthenticationOffer(.aes128, AgreementParameters(13, .explicit))]
        $0.activeAuthentication = .ecdsa(AgreementParameters(13, .explicit), .sha256)
      },
      profile("clone-cam", "the private key is not the one that EF.CardSecurity promises") {
        $0.fault = .clone
        $0.pace = [PACEOffer(.chipAuthentication, .aes128, AgreementParameters(13))]
      },
      profile("signature", "the signature of Active Authentication is over another challenge") {
        $0.fault = .wrongSignature
        $0.activeAuthentication = .rsa(bits: 2048, .sha256)
      },
      fault("token", "the last token of PACE is wrong", .wrongToken),
      fault("parameters", "DG14 lists stronger PACE parameters than EF.CardAccess", .otherParametersInDG14),
      fault("point", "a public key of PACE is not on the curve", .pointOffCurve),
      fault("infinity", "a public key of PACE is the point at infinity", .pointAtInfinity),
      fault("zero", "a public key of PACE is zero", .zeroCoordinates),
      fault("echo", "PACE sends the terminal's own mapping key back", .sameMappingKey),
      fault("echo-agreement", "PACE sends the terminal's own second key back", .sameAgreementKey),
      fault("length", "DG2 says that it is longer than it is", .lyingLength),
      fault("endless", "DG2 says that it has 2 GB and never ends", .endlessFile),
      profile("long-answers", "a short Le is answered with more bytes than it asks for") {
        $0.fault = .longAnswers
        $0.pace = []
      },
      fault("extended", "extended length is announced and refused", .refusedExtendedLength),
      profile("blocked", "a password is blocked after one wrong try") {
        $0.requiresBasicAccessControl = false
        for password in CardPassword.allCases {
          $0.tries[password] = CardPassword.Tries(limit: 1, suspends: false)
        }
      },
      profile("slow", "every command takes 100 milliseconds") { $0.latency = .milliseconds(100) },
      profile("lost", "leaves the field at the 60th exchange and comes back after half a second") {
        $0.fault = .disappearance(exchange: 59, absence: .milliseconds(500))
        $0.responseLimit = 256
      },
    ]
  }()
}
