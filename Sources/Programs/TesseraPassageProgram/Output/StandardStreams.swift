import Glibc

enum StandardStreams {
  /// Opens those that the program was started without. Their numbers would else become those of other files, such as
  /// pipes for programs that have streams of their own.
  ///
  /// Writing to one still fails: a result that nobody gets is not a success.
  static func open() {
    var descriptor: Int32
    repeat { descriptor = Glibc.open("/dev/null", O_RDONLY) } while (0...STDERR_FILENO).contains(descriptor)
    if descriptor > STDERR_FILENO { close(descriptor) }
  }
}
