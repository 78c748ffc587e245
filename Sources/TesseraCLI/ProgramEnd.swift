import Foundation

/// Ends the program, and leaves what C libraries hold to the kernel.
///
/// `exit` runs the destructors of libpcsclite, libnfc and others on this thread, while those that work for a task still call
/// them: a task that lets its PC/SC context go at that moment finds the library's list freed.
enum ProgramEnd {
  static func now(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }
}
