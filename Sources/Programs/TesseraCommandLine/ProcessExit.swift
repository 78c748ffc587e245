import Glibc

/// Ends the process without running the destructors of C libraries.
///
/// `exit` runs the destructors of libpcsclite, libnfc and others on this thread while other threads still call these
/// libraries: a task that releases its PC/SC context at that moment uses a list that the library has freed.
package enum ProcessExit {
  package static func now(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}
