internal import TesseraPassport

/// A further request of a witnessed read, to the inspector that took it. It has exactly one of the
/// four members.
package struct ReadMessage: FleetMessage, Equatable {
  package var session: FleetIdentifier
  package var part: FilePart?
  package var files: FilesStatement?
  package var answer: AnswerStatement?
  /// True: the desk ends the read without a verdict.
  package var abandoned: Bool?

  package init(session: FleetIdentifier, part: FilePart) {
    self.session = session
    self.part = part
  }

  package init(session: FleetIdentifier, files: FilesStatement) {
    self.session = session
    self.files = files
  }

  package init(session: FleetIdentifier, answer: AnswerStatement) {
    self.session = session
    self.answer = answer
  }

  package init(abandoning session: FleetIdentifier) {
    self.session = session
    abandoned = true
  }

  package enum Step: Sendable {
    case part(FilePart)
    case files(FilesStatement)
    case answer(AnswerStatement)
    case abandonment
  }

  /// - Throws: `FleetError` with the code `malformed`.
  package func step() throws(FleetError) -> Step {
    switch (part, files, answer, abandoned) {
    case (let part?, nil, nil, nil): return .part(part)
    case (nil, let files?, nil, nil): return .files(files)
    case (nil, nil, let answer?, nil): return .answer(answer)
    case (nil, nil, nil, true?): return .abandonment
    default: throw FleetError(.malformed)
    }
  }
}

/// A part of the files' bytes, which are sent one after another without separators.
package struct FilePart: Codable, Sendable, Equatable {
  /// Counted from 0.
  package var number: Int
  package var data: Base64Bytes

  package init(number: Int, data: Base64Bytes) {
    self.number = number
    self.data = data
  }
}

/// How the chip answered the key agreement of the inspector: with a refusal, or with a response under the new keys.
package struct AnswerStatement: Codable, Sendable, Equatable {
  package var refusal: UInt16?
  /// As received, with its status word.
  package var response: Base64Bytes?
  package var transport: TransportStatement

  package init(refusal: UInt16?, response: Base64Bytes?, transport: TransportStatement) {
    self.refusal = refusal
    self.response = response
    self.transport = transport
  }
}

/// The answer to the files of a witnessed read: the verdict, or what the chip has to prove before.
package struct FilesReply: FleetMessage, Equatable {
  package var verdict: VerdictMessage?
  package var agreement: AgreementMessage?

  package init(verdict: VerdictMessage) { self.verdict = verdict }

  package init(agreement: AgreementMessage) { self.agreement = agreement }
}

/// Chip Authentication with an inspector's key.
package struct AgreementMessage: Codable, Sendable, Equatable {
  /// The object identifier of the protocol, dotted.
  package var protocolIdentifier: String
  package var keyIdentifier: Int?
  /// The inspector's ephemeral public key.
  package var publicKey: Base64Bytes
  /// One command APDU under the new keys.
  package var confirmation: Base64Bytes

  package init(_ agreement: WitnessedAgreement) {
    protocolIdentifier = agreement.protocolIdentifier
    keyIdentifier = agreement.keyIdentifier
    publicKey = Base64Bytes(agreement.publicKey)
    confirmation = Base64Bytes(agreement.confirmation)
  }

  package var agreement: WitnessedAgreement {
    WitnessedAgreement(
      protocolIdentifier: protocolIdentifier, keyIdentifier: keyIdentifier, publicKey: publicKey.bytes,
      confirmation: confirmation.bytes)
  }
}
