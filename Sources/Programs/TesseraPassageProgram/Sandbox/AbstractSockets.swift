import Glibc

/// Sockets with a name instead of a path belong to the network, which the sandbox keeps: old buses and X servers have
/// them. The kernel can close this way (landlock(7), ABI 6).
enum AbstractSockets {
  /// Closes the way to the abstract sockets of other programs for this thread and all that it starts. Without effect on
  /// older kernels.
  ///
  /// libxcb gives up if an abstract socket of the display exists and is refused, so this is not for such a display.
  ///
  /// - Returns: whether they are closed now.
  @discardableResult
  static func close() -> Bool {
    // `struct landlock_ruleset_attr`: no files, no ports, and the scope of abstract sockets.
    var attributes: [UInt64] = [0, 0, 1]
    let size = attributes.count * MemoryLayout<UInt64>.size
    let rules = attributes.withUnsafeMutableBytes { SystemCall.run(444, Int(bitPattern: $0.baseAddress), size, 0) }
    guard rules >= 0 else { return false }
    defer { Glibc.close(Int32(truncatingIfNeeded: rules)) }
    return SystemCall.run(446, rules, 0, 0) == 0
  }

  /// Whether an X server of this machine listens on the abstract socket of the display.
  static func has(display socket: String) -> Bool {
    guard let file = fopen("/proc/net/unix", "re") else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      if strstr(line, "@\(socket)\n") != nil { return true }
    }
    return false
  }
}
