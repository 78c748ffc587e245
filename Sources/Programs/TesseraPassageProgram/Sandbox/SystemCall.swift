import Glibc

/// System calls that the C library of Swift's import does not have.
enum SystemCall {
  /// - Returns: the result; negative after a failure.
  static func run(_ number: Int, _ first: Int, _ second: Int, _ third: Int) -> Int {
    guard let symbol = dlsym(nil, "syscall") else { return -1 }
    // `syscall` takes a variable number of arguments, so Swift does not import it. On all machines that this program is
    // built for, whole numbers are passed as to a function with these parameters.
    typealias Function = @convention(c) (Int, Int, Int, Int) -> Int
    return unsafeBitCast(symbol, to: Function.self)(number, first, second, third)
  }
}
