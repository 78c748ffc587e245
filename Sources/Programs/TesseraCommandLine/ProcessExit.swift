import Glibc
package import Tessera

/// Ends the process without running the destructors of C libraries.
///
/// `exit` runs the destructors of libpcsclite, libnfc and others on this thread while other threads still call these
/// libraries: a task that releases its PC/SC context at that moment uses a list that the library has freed.
package enum ProcessExit {
  /// - Parameter status: 128 and the number of a signal that ended the work ends the process by that signal.
  package static func now(_ status: Int32) -> Never {
    fflush(nil)
    let number = Interruption.signalNumber
    if number != 0, status == 128 + number { bySignal(number) }
    _exit(status)
  }

  /// Ends the process as the signal does without a handler, after all that the handler had to do.
  ///
  /// A shell makes 128 and its number of it, as of that exit status. But only the signal tells it to end a loop or a
  /// script, too: after Ctrl-C, bash goes on behind a command that ends with a status.
  package static func bySignal(_ number: Int32) -> Never {
    signal(number, SIG_DFL)
    // libdispatch blocks the signals of its sources in its threads.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    _exit(128 + number)
  }
}

extension FailureKind {
  /// The exit status of `tessera`.
  package var exitStatus: Int32 {
    switch self {
    case .internalError: 1
    case .usage, .malformedMRZ, .ambiguousReader: 2
    case .serviceUnavailable, .deviceEnumerationFailed, .noReader, .noDevice, .noFingerprintReader, .notEnrolled,
      .noCard, .noZone, .noSeal, .notSmartCard,
      .notATravelDocument, .peerRejected:
      3
    case .accessDenied, .accessControlUnsupported: 4
    case .checkFailed: 5
    case .cardLost, .protocolViolation: 6
    case .keyNotFound, .keyExists, .keyStoreUnavailable, .keyStoreFailed, .secretWrong, .secretNeeded, .keyStoreLocked,
      .confirmationRefused, .keyNotExportable, .storageUnavailable, .storageFailed, .storageFull:
      7
    case .cancelled: 130  // 128 + SIGINT: the status that a shell expects of an interrupted program
    }
  }
}
