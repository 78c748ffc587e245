import Glibc
import TesseraCore

/// The way to the display that the sandbox has.
enum DisplayAccess: Equatable {
  /// The socket of a Wayland compositor.
  case wayland(socket: String)
  /// The socket of an X server on this machine, with its variable, and the descriptor of a copy of the display's cookie.
  case x11(socket: String, display: String, cookie: Int32?)
  /// An X server that is reached over the network.
  case network(display: String, cookie: Int32?)

  /// Wayland if the session has it: its compositor keeps programs apart, an X server does not.
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable` if there is no display.
  init(_ environment: [String: String]) throws(Failure) {
    let backends = environment["GDK_BACKEND", default: "*"].split(separator: ",").map(String.init)
    func allows(_ backend: String) -> Bool { backends.contains("*") || backends.contains(backend) }

    if allows("wayland"), let name = environment["WAYLAND_DISPLAY"], !name.isEmpty {
      let path = name.hasPrefix("/") ? name : "\(environment["XDG_RUNTIME_DIR", default: "/nowhere"])/\(name)"
      if Self.isSocket(path) {
        self = .wayland(socket: path)
        return
      }
    }
    guard allows("x11"), let display = environment["DISPLAY"], !display.isEmpty else {
      throw Failure(
        .serviceUnavailable, "There is no display to open a window on.",
        remedy: "Run the program in a desktop session, or set WAYLAND_DISPLAY or DISPLAY.")
    }
    let cookie = Self.cookie(display, environment)
    if let socket = Self.socket(of: display) {
      self = .x11(socket: socket, display: display, cookie: cookie)
    } else {
      self = .network(display: display, cookie: cookie)
    }
  }

  // MARK: - Arguments

  func arguments(_ runtimeFolder: String) -> [String] {
    switch self {
    case .wayland(let socket): ["--ro-bind", socket, "\(runtimeFolder)/wayland-0"]
    case .x11(let socket, _, let cookie): ["--ro-bind", socket, socket] + Self.arguments(cookie, runtimeFolder)
    case .network(_, let cookie): Self.arguments(cookie, runtimeFolder)
    }
  }

  func variables(_ runtimeFolder: String) -> [String: String] {
    switch self {
    case .wayland: ["WAYLAND_DISPLAY": "wayland-0", "GDK_BACKEND": "wayland"]
    case .x11(_, let display, let cookie), .network(let display, let cookie):
      [
        "DISPLAY": display, "GDK_BACKEND": "x11",
        "XAUTHORITY": cookie == nil ? "/nowhere" : "\(runtimeFolder)/Xauthority",
      ]
    }
  }

  private static func arguments(_ cookie: Int32?, _ runtimeFolder: String) -> [String] {
    cookie.map { ["--ro-bind-data", "\($0)", "\(runtimeFolder)/Xauthority"] } ?? []
  }

  // MARK: - Finding

  /// The socket of `:7` or `unix:7.0`; nil for a display with another host.
  static func socket(of display: String) -> String? {
    guard let colon = display.lastIndex(of: ":"), ["", "unix"].contains(display[..<colon]) else { return nil }
    let number = display[display.index(after: colon)...].prefix { $0 != "." }
    guard !number.isEmpty, number.utf8.count <= 5, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    let path = "/tmp/.X11-unix/X\(number)"
    return isSocket(path) ? path : nil
  }

  private static func isSocket(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFSOCK
  }

  /// The cookies of this display. The user's file may have others, and another identity may not read it.
  private static func cookie(_ display: String, _ environment: [String: String]) -> Int32? {
    let path = environment["XAUTHORITY"] ?? environment["HOME"].map { "\($0)/.Xauthority" }
    guard let path else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let bytes = InputBytes.read(descriptor, upTo: 1 << 20) else { return nil }
    let cookies = DisplayCookies(bytes, display: display).bytes
    return cookies.isEmpty ? nil : InheritedData.descriptor(cookies)
  }
}

/// Bytes that the next program of this process reads from a descriptor.
enum InheritedData {
  /// A file in memory has them. A pipe can hold as little as a page of a user who has many (pipe(7)), and writing more
  /// would wait for a reader that comes later.
  ///
  /// - Returns: The descriptor of the file, at its beginning, for `OpenFiles.keep`; nil if the system has no more
  ///   descriptors.
  static func descriptor(_ bytes: some Collection<UInt8>) -> Int32? {
    guard let file = memoryFile() else { return nil }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    guard rest.isEmpty, lseek(file, 0, SEEK_SET) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// memfd_create(2), which Swift's module of the C library does not have.
  private static func memoryFile() -> Int32? {
    guard let symbol = dlsym(nil, "memfd_create") else { return nil }
    typealias Function = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let create = unsafeBitCast(symbol, to: Function.self)
    let (closesAtNextProgram, isNoProgram): (UInt32, UInt32) = (1, 8)
    // A system may require that the file cannot be run. Linux before 6.3 does not know that flag.
    let file = create("passage", closesAtNextProgram | isNoProgram)
    if file >= 0 { return file }
    let older = errno == EINVAL ? create("passage", closesAtNextProgram) : -1
    return older >= 0 ? older : nil
  }
}
