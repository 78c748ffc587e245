import TesseraCryptography

/// Profiles without a real counterpart: all mechanisms, and faults.
extension ChipProfile {
  /// A profile with every mechanism: all mappings, key agreements and ciphers, explicit parameters, several keys.
  public static let mechanisms: ChipProfile = {
    var profile = ChipProfile(
      name: "all", summary: "every mechanism: all of PACE, CA, AA and TA, retry counters",
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
    profile.tries = [.can: CardPassword.RetryCounter(limit: 3, suspends: true)]
    profile.chipAuthentication = ciphers.enumerated().flatMap { number, cipher in
      [
        ChipAuthenticationOffer(cipher, AgreementParameters(13), keyIdentifier: number * 2 + 1),
        ChipAuthenticationOffer(cipher, AgreementParameters(0, .explicit), keyIdentifier: number * 2 + 2),
      ]
    }
    profile.activeAuthentication = .rsa(bits: 2048, .sha256)
    profile.supportsTerminalAuthentication = true
    profile.announcesChaining = true
    return profile
  }()

  /// The profiles with a fault, one for each kind.
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
      profile("clone", "a clone: the private keys do not match DG14 and DG15") {
        $0.fault = .clone
        $0.chipAuthentication = [ChipAuthenticationOffer(.aes128, AgreementParameters(13, .explicit))]
        $0.activeAuthentication = .ecdsa(AgreementParameters(13, .explicit), .sha256)
      },
      profile("clone-cam", "a clone: the private key does not match EF.CardSecurity") {
        $0.fault = .clone
        $0.pace = [PACEOffer(.chipAuthentication, .aes128, AgreementParameters(13))]
      },
      profile("signature", "the signature of Active Authentication is over another challenge") {
        $0.fault = .wrongSignature
        $0.activeAuthentication = .rsa(bits: 2048, .sha256)
      },
      fault("token", "the authentication token of PACE is wrong", .wrongToken),
      fault("parameters", "DG14 lists stronger PACE parameters than EF.CardAccess", .otherParametersInDG14),
      fault("point", "a public key of PACE is not on the curve", .pointOffCurve),
      fault("infinity", "a public key of PACE is the point at infinity", .pointAtInfinity),
      fault("zero", "a public key of PACE is zero", .zeroCoordinates),
      fault("echo", "PACE returns the terminal's own mapping key", .sameMappingKey),
      fault("echo-agreement", "PACE returns the terminal's own key of the key agreement", .sameAgreementKey),
      fault("length", "the length field of DG2 exceeds the file", .lyingLength),
      fault("endless", "the length field of DG2 states 2 GB, and reads never end", .endlessFile),
      profile("long-answers", "the response to a short Le is longer than requested") {
        $0.fault = .longAnswers
        $0.pace = []
      },
      fault("extended", "the chip announces extended length and refuses it", .refusedExtendedLength),
      profile("blocked", "a password is blocked after one wrong attempt") {
        $0.requiresBasicAccessControl = false
        for password in CardPassword.allCases {
          $0.tries[password] = CardPassword.RetryCounter(limit: 1, suspends: false)
        }
      },
      profile("slow", "every command takes 100 milliseconds") { $0.latency = .milliseconds(100) },
      profile("lost", "the card is removed at the 60th exchange and replaced after half a second") {
        $0.fault = .disappearance(exchange: 59, absence: .milliseconds(500))
        $0.responseLimit = 256
      },
    ]
  }()
}
