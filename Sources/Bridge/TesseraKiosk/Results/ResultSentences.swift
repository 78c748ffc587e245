internal import TesseraCore

// What the log of a kiosk says of results. It contains nothing of a document.

extension ResultKeeper.Event {
  /// nil if there is nothing to say.
  var sentence: String? {
    switch self {
    case .kept(let identifier, let waiting):
      "Result \(identifier) is stored."
        + (waiting == 0 ? "" : " \(counted(waiting, "other")) \(waiting == 1 ? "is" : "are") not stored yet.")
    case .notKept(let failure, let waiting, let next):
      "A result is not stored, and tried again in \(seconds(next)), later less often; "
        + "\(counted(waiting, "result")) \(waiting == 1 ? "waits" : "wait"): \(failure.description)"
    case .lost(let identifier): "Result \(identifier) is lost: too many could not be stored."
    case .parked: nil
    case .notRemoved(let identifier, let folder, let failure):
      "Result \(identifier) is stored, and comes again with the next start, since \(PrintableText.of(folder)) still has it: "
        + failure.description
    }
  }
}

extension ResultDelivery.Event {
  /// What is wrong, which the log says once for all results; nil if nothing is.
  var reason: String? {
    switch self {
    case .delivered: nil
    case .notRemoved(_, let failure): "not removed: \(failure.description)"
    case .unreadable(_, let failure): "unreadable: \(failure.description)"
    case .refused(_, let status): "refused: \(status)"
    case .away(let failure, _, _): "away: \(failure.description)"
    case .waitElsewhere(let others): "elsewhere: \(others.address)"
    case .notTakenBack(let failure): "not taken back: \(failure.description)"
    }
  }

  var sentence: String {
    switch self {
    case .delivered(let identifier): "Result \(identifier) is delivered."
    case .notRemoved(let identifier, let failure):
      "Result \(identifier) is delivered, and could not be removed: \(failure.description)"
    case .unreadable(let identifier, let failure):
      "Result \(identifier) cannot be delivered now: \(failure.description)"
    case .refused(let identifier, let status):
      "The server refused result \(identifier) with the status \(status). It is sent again later."
    case .away(let failure, let waiting, let next):
      "\(counted(waiting, "result")) \(waiting == 1 ? "waits for its" : "wait for their") delivery, which is tried again in "
        + "\(seconds(next)), later less often: \(failure.description)"
    case .waitElsewhere(let others): others.sentence
    case .notTakenBack(let failure):
      "Some results that wait for this address could not be brought back into the outbox, which is tried again: "
        + failure.description
    }
  }
}

extension ResultFolder.Others {
  var sentence: String {
    // A query may be secret.
    let place = address.prefix { $0 != "?" && $0 != "#" }
    let (folder, outbox) = (PrintableText.of(folder), PrintableText.of(outbox))
    let address = PrintableText.of(String(place)) + (place.endIndex == address.endIndex ? "" : "?…")
    let (waits, areNot, them) = count == 1 ? ("waits", "is not", "it") : ("wait", "are not", "them")
    return
      "\(counted(count, "result")) \(waits) for \(address), and \(areNot) sent to the address of --results: \(folder) "
      + "keeps \(them). To send \(them), start the kiosk once with --results \(address), or move the .json and .json.sig "
      + "files to \(outbox), from where they go to the present address. To discard \(them), remove the folder."
  }
}

extension ResultSpool.Others {
  var sentence: String {
    let places = folders.map(PrintableText.of).joined(separator: " and ")
    let isOne = count == 1
    return
      "\(counted(count, "result")) of a kiosk with other options \(isOne ? "waits" : "wait") in \(places). To keep "
      + "\(isOne ? "it" : "them"), start the kiosk once with --results, --disclose and --virtual as before; one of them is "
      + "different now. To discard \(isOne ? "it" : "them"), remove \(folders.count == 1 ? "the folder" : "these folders")."
  }
}

extension ReceiptProgram.End {
  func sentence(_ identifier: String) -> String {
    switch self {
    case .exited(let status): "The receipt's program ended with the status \(status) for result \(identifier)."
    case .timedOut: "The receipt's program did not end in time for result \(identifier), and was killed."
    case .notStarted: "The receipt's program could not be started for result \(identifier)."
    }
  }
}

func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

private func seconds(_ duration: Duration) -> String { "\(max(duration.components.seconds, 1)) s" }
