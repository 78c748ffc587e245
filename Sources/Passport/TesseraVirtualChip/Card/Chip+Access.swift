import TesseraCryptography
import TesseraSmartCard

/// Basic Access Control and PACE.
extension Chip {
  // MARK: - Basic Access Control (Doc 9303-11, 4.3)

  /// GET CHALLENGE: for Basic Access Control, and under secure messaging for Terminal Authentication.
  mutating func getChallenge(_ command: CardCommand) -> ResponseAPDU {
    let isForTerminal = profile.supportsTerminalAuthentication && state.session.messaging != nil
    guard isForTerminal || access != nil && state.isApplicationSelected else {
      return ResponseAPDU(status: .instructionNotSupported)
    }
    guard command.expectedLength == 8 else { return ResponseAPDU(status: .wrongLength) }
    if let selected = state.selectionTime, ContinuousClock.now - selected < profile.quirks.settlingTime {
      return ResponseAPDU(status: .conditionsNotSatisfied)
    }
    guard let nonce = try? RandomBytes.make(8) else { return ResponseAPDU(status: .unspecifiedError) }
    state.challenge = nonce
    return ResponseAPDU(data: nonce, status: .success)
  }

  mutating func externalAuthenticate(_ command: CardCommand) -> ResponseAPDU {
    if profile.supportsTerminalAuthentication, state.session.messaging != nil { return authenticateTerminal(command) }
    guard let access, state.isApplicationSelected else { return ResponseAPDU(status: .instructionNotSupported) }
    guard let nonce = state.challenge else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    state.challenge = nil  // one attempt per challenge
    guard command.data.count == 40, !profile.quirks.requiresExpectedLength || command.expectedLength == 40 else {
      return ResponseAPDU(status: .wrongLength)
    }
    do {
      let material = try RandomBytes.make(16)
      guard let result = try access.authenticate(command.data, challenge: nonce, keyingMaterial: material) else {
        return ResponseAPDU(status: StatusWord(profile.quirks.wrongBasicAccessKey))
      }
      state.nextSession = Session(messaging: result.session, chipIdentifier: documentNumber)
      return ResponseAPDU(data: result.response, status: .success)
    } catch {
      return ResponseAPDU(status: .unspecifiedError)
    }
  }

  // MARK: - PACE (Doc 9303-11, 4.4.4)

  /// A run of PACE that MSE:Set AT started.
  struct PACERun {
    var card: CardPACE
    let password: CardPassword
  }

  /// MSE:Set AT for PACE.
  mutating func choosePACE(_ objects: [BERTLV]) -> ResponseAPDU {
    state.pace = nil
    if let refusal = profile.quirks.paceSelection { return ResponseAPDU(status: StatusWord(refusal)) }
    func value(_ tag: UInt32) -> [UInt8]? { objects.first { $0.tag == tag }.map { Array($0.value) } }
    guard let identifier = value(0x80) else { return ResponseAPDU(status: .wrongData) }
    let parameters = value(0x84)
    if parameters == nil, let refusal = profile.quirks.paceWithoutParameters {
      return ResponseAPDU(status: StatusWord(refusal))
    }
    let offers = profile.pace.filter { offer in
      offer.objectIdentifier == identifier
        && (parameters.map { $0 == [UInt8(truncatingIfNeeded: offer.parameterIdentifier)] } ?? true)
    }
    guard let offer = offers.first else { return ResponseAPDU(status: .wrongData) }
    guard let reference = value(0x83), reference.count == 1, let password = CardPassword(rawValue: reference[0]),
      offers.count == 1
    else { return ResponseAPDU(status: .referencedDataNotFound) }
    do {
      guard let key = try passwords.key(password, for: offer.cipher) else {
        return ResponseAPDU(status: .referencedDataNotFound)
      }
      guard remainingTries[password] != 0 else { return ResponseAPDU(status: .authenticationMethodBlocked) }
      let staticKey =
        offer.mapping == .chipAuthentication
        ? try SpecimenKeys.mapping(offer.parameters, isClone: profile.fault == .clone) : nil
      let card = try CardPACE(
        offer: offer, passwordKey: key, staticKey: staticKey, ephemerals: ephemerals,
        nonceLength: profile.quirks.nonceLength, fault: profile.fault)
      state.pace = PACERun(card: card, password: password)
    } catch {
      return ResponseAPDU(status: .unspecifiedError)
    }
    guard let left = remainingTries[password], left < profile.tries[password]?.limit ?? left else {
      return ResponseAPDU(status: .success)
    }
    return ResponseAPDU(status: .triesLeft(left))
  }

  /// Whether the password has one attempt left and the other password must be used first.
  private func isSuspended(_ password: CardPassword) -> Bool {
    guard let tries = profile.tries[password], tries.suspends, remainingTries[password] == 1 else { return false }
    return state.session.password == nil || state.session.password == password
  }

  /// GENERAL AUTHENTICATE in a run of PACE.
  mutating func continuePACE(_ run: PACERun, _ objects: [BERTLV], isLast: Bool) -> ResponseAPDU {
    var run = run
    state.pace = nil
    guard !isSuspended(run.password) else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    do {
      let isFinalStep = run.card.isAtLastStep
      guard isFinalStep == isLast else {
        return ResponseAPDU(status: isLast ? .conditionsNotSatisfied : .lastCommandOfChainExpected)
      }
      let (answer, outcome) = try run.card.answer(objects)
      if let outcome {
        remainingTries[run.password] = profile.tries[run.password]?.limit
        state.nextSession = Session(
          messaging: outcome.session, password: run.password, chipIdentifier: outcome.identifier,
          terminalKey: outcome.terminalKey)
      } else {
        state.pace = run
      }
      return ResponseAPDU(data: BERTLV.encode(0x7C, answer), status: .success)
    } catch CardPACE.Refusal.wrongPassword {
      guard let left = remainingTries[run.password] else {
        return ResponseAPDU(status: StatusWord(profile.quirks.wrongPACEPassword))
      }
      remainingTries[run.password] = max(0, left - 1)
      return ResponseAPDU(status: .triesLeft(left - 1))
    } catch {
      return ResponseAPDU(status: .wrongData)
    }
  }
}
