import CTesseraSystemd
import Glibc
package import TesseraCore

/// The systemd units of a user's service: a socket unit that starts the service when a program connects, and a service
/// unit with as much sandboxing as device access permits.
package struct ServiceUnits: Sendable, Equatable {
  package static let socketName = "tessera.socket"
  package static let serviceName = "tessera.service"

  /// The absolute path of the program.
  package let program: String
  /// The arguments after `tessera serve`.
  package let arguments: [String]
  /// The absolute paths of the folders that the service may write to. All others are read-only.
  package let writableFolders: [String]
  /// Environment variables that the service manager does not set.
  package let environment: [String: String]
  /// Whether the service starts with the session. Required for web pages, since they cannot activate the Unix socket.
  package let startsWithSession: Bool
  /// Whether the service must see the processes of its callers, which it cannot from a user namespace of its own.
  package let seesCallers: Bool

  /// - Throws: `Failure` of the kind `usage` if a path or an argument contains a control character: a line end could
  ///   inject a setting into the unit.
  package init(
    program: String, arguments: [String], writableFolders: [String], environment: [String: String] = [:],
    startsWithSession: Bool, seesCallers: Bool = false
  ) throws(Failure) {
    let words = [program] + arguments + writableFolders + environment.flatMap { [$0.key, $0.value] }
    guard words.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }) else {
      throw Failure(
        .usage, "A path or an argument of the service contains a control character.",
        remedy: "Use paths without control characters. Check XDG_DATA_HOME and XDG_CONFIG_HOME, too.")
    }
    self.program = program
    self.arguments = arguments
    self.writableFolders = writableFolders
    self.environment = environment
    self.startsWithSession = startsWithSession
    self.seesCallers = seesCallers
  }

  package var socket: String {
    """
    [Unit]
    Description=Socket of the Tessera device service

    [Socket]
    ListenStream=%t/tessera/bridge.sock
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """
  }

  package var service: String {
    let words = (["serve"] + arguments).map { Self.quoted($0, isArgument: true) }
    let command = ([Self.quoted(program)] + words).joined(separator: " ")
    let variables = environment.sorted { $0.key < $1.key }.map { "Environment=\(Self.quoted("\($0.key)=\($0.value)"))" }
    let install = startsWithSession ? "\n[Install]\nWantedBy=default.target\n" : ""
    return """
      [Unit]
      Description=Tessera device service
      Requires=tessera.socket
      After=tessera.socket

      [Service]
      Type=notify
      \((["ExecStart=\(command)"] + variables).joined(separator: "\n"))
      Restart=on-failure
      UMask=0077
      LimitNOFILE=4096
      LimitCORE=0

      # The service needs card readers and gamepads (/dev), pcscd, the TPM and the session bus, and pinentry needs /tmp.
      # ProtectClock= would deny access to /dev. Settings that drop capabilities are left out: the service has none, and
      # where AppArmor restricts user namespaces (Ubuntu 24.04), such a setting keeps the service from starting.
      NoNewPrivileges=yes
      \((seesCallers ? Self.noNamespace : namespace).joined(separator: "\n"))
      LockPersonality=yes
      MemoryDenyWriteExecute=yes
      RestrictNamespaces=yes
      RestrictRealtime=yes
      RestrictSUIDSGID=yes
      # Netlink reports device changes and the owners of loopback connections.
      RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
      SystemCallArchitectures=native
      SystemCallFilter=@system-service
      SystemCallErrorNumber=EPERM
      \(install)
      """
  }

  private var namespace: [String] {
    // The prefix "-" ignores a missing folder. The service can work without it.
    let folders = (["%t/tessera"] + writableFolders.map { Self.quoted($0) }).map { "ReadWritePaths=-\($0)" }
    return ["# A user's service manager needs a user namespace for these settings.", "PrivateUsers=yes"]
      + ["ProtectSystem=strict", "ProtectHome=read-only"] + folders
      + ["ProtectKernelTunables=yes", "ProtectControlGroups=yes", "ProtectHostname=yes"]
  }

  /// Whether a unit of an earlier version serves pages from a user namespace, so that it refuses all of them.
  static func hidesCallers(_ unit: String) -> Bool {
    let lines = unit.split(separator: "\n")
    let namespace = lines.last { $0.hasPrefix("PrivateUsers=") }
    guard let namespace, ["yes", "true", "on", "1", "self"].contains(namespace.dropFirst(13)) else { return false }
    return lines.contains { line in
      line.hasPrefix("ExecStart=") && line.contains(" --websocket") && !line.contains(" --allow-sandboxed-browsers")
    }
  }

  private static let noNamespace = [
    "# The service serves web pages, so it looks whether a caller is in a sandbox. From a user namespace it could not: the",
    "# settings that need one are absent (PrivateUsers=, ProtectSystem=, ProtectHome= …).",
  ]

  /// Quotes a word for a unit file (systemd.service(5), "Command lines"; systemd.unit(5), "Specifiers"). Only the
  /// arguments of a command expand variables, so only there `$` is escaped, and not in the path of the program.
  static func quoted(_ word: String, isArgument: Bool = false) -> String {
    var text = String.UnicodeScalarView()
    // By scalars: a combining mark after a quotation mark would form one Character with it.
    for scalar in word.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { text.append("\\") }
      if scalar == "%" || (isArgument && scalar == "$") { text.append(scalar) }
      text.append(scalar)
    }
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && Character(scalar).isLetter || ("0"..."9").contains(scalar)
        || "-_./:=,@[]".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : "\"\(String(text))\""
  }
}

/// The interface to systemd for a service that it starts (sd_listen_fds(3), sd_notify(3)). Has no effect without
/// systemd.
package enum ServiceManager {
  /// Returns the listening Unix socket that systemd passed, if any. Must be called once, before other threads start.
  ///
  /// - Throws: `Failure` of the kind `usage` if systemd passed another kind of socket, or more than one.
  static func activatedSocket() throws(Failure) -> Int32? {
    let count = sd_listen_fds(1)
    guard count != 0 else { return nil }
    let descriptor: Int32 = 3  // SD_LISTEN_FDS_START
    guard count == 1, sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw Failure(
        .usage, "systemd passed sockets that the service does not support.",
        remedy: "Set exactly one ListenStream= in the socket unit, with the path of a Unix socket.")
    }
    return descriptor
  }

  package static func isReady() { sd_notify(0, "READY=1") }
  package static func isStopping() { sd_notify(0, "STOPPING=1") }
}
