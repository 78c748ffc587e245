/// What exists for `tessera-passage`: the arguments and the environment of bubblewrap.
///
/// A new mount namespace has the system's programs and libraries read-only, a few files of `/etc`, the socket of the
/// display, and the two folders of `PassageFolders`. Everything else is absent: the home folder with keys and stores,
/// the sockets of `tessera serve`, of pcscd and of the buses, and the nodes of devices. The processes, the host name and
/// the shared memory of the machine are absent, too. `SystemCallFilter` closes key rings, other processes and sockets of
/// radios, and `AbstractSockets` sockets with a name.
///
/// Inside of it, WebKit makes a narrower sandbox for each page: without network and display. Its network process and the
/// program itself have this sandbox only.
///
/// What it does not do: the network stays, so a service of this machine that listens on a TCP port decides itself whom it
/// answers. `tessera serve` listens on none unless it is told to, and answers no program of a user namespace that is not
/// its own: for that, `SystemCallFilter` lets no program hide what it has open. An X server shows each program the input of all others;
/// a Wayland compositor does not. There is no bus, so assistive technology does not see the window.
struct Sandbox: Equatable {
  var folders: PassageFolders
  var display: DisplayAccess
  /// The paths of the program and of the libraries that it has loaded from outside of the system's folders.
  var programFiles: [String]
  /// The folders of the graphics device below `/sys/devices`.
  var graphicsFolders: [String]
  /// The nodes of the graphics device that draw, and cannot set what the display shows: `/dev/dri/renderD128`.
  var renderNodes: [String]
  /// The folders with private keys of servers, which are below folders that the sandbox has.
  var keyFolders: [String]
  /// The directories of the root that are links, such as `/bin`, with their targets.
  var rootLinks: [(path: String, target: String)]
  /// The directories of the root that are none, such as `/lib` of a system that does not merge them.
  var rootFolders: [String]
  /// The variables of the environment, before the selection.
  var environment: [String: String]
  /// The identity in the sandbox.
  var user: UInt32
  /// The home folder, which is empty.
  var home: String

  static func == (left: Sandbox, right: Sandbox) -> Bool {
    left.arguments == right.arguments && left.variables == right.variables
  }

  /// The folder of the sockets in the sandbox. Only that of the display is there.
  var runtimeFolder: String { "/run/user/\(user)" }

  // MARK: - Arguments

  /// The arguments before the program.
  var arguments: [String] {
    // The temporary folders come first: the files of the program may be below one.
    isolation + system + empties + personal + display.arguments(runtimeFolder) + files + ["--chdir", "/"]
  }

  private var isolation: [String] {
    [
      "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname",
      "passage", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
    ]
  }

  private var system: [String] {
    var words = ["--ro-bind", "/usr", "/usr"]
    for link in rootLinks { words += ["--symlink", link.target, link.path] }
    for folder in rootFolders { words += ["--ro-bind", folder, folder] }
    for name in Self.settings { words += ["--ro-bind-try", "/etc/\(name)", "/etc/\(name)"] }
    for folder in keyFolders { words += ["--tmpfs", folder, "--remount-ro", folder] }
    words += ["--ro-bind-try", "/var/cache/fontconfig", "/var/cache/fontconfig"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for node in renderNodes { words += ["--dev-bind-try", node, node] }
    // WebKit's sandbox wants these folders. They have no device but the graphics device.
    for name in ["block", "bus", "class", "dev", "devices"] { words += ["--dir", "/sys/\(name)"] }
    if !graphicsFolders.isEmpty { words += ["--ro-bind-try", "/sys/dev/char", "/sys/dev/char"] }
    for folder in graphicsFolders { words += ["--ro-bind-try", folder, folder] }
    return words
  }

  /// The files of `/etc`: names and certificates of servers, fonts, languages, accounts without secrets.
  private static let settings = [
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "fonts", "gai.conf", "glvnd", "group",
    "host.conf", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime", "mime.types",
    "nsswitch.conf", "passwd", "pki", "protocols", "resolv.conf", "services", "ssl", "vulkan",
  ]

  private var empties: [String] {
    let inTemporary = ["/tmp", "/var/tmp", "/run"].flatMap { ["--tmpfs", $0] }
    return inTemporary + ["--perms", "0700", "--dir", runtimeFolder, "--tmpfs", home]
  }

  private var personal: [String] { [folders.profile, folders.state].flatMap { ["--bind", $0, $0] } }

  private var files: [String] { programFiles.flatMap { ["--ro-bind", $0, $0] } }

  /// The environment of bubblewrap, which is that of the sandbox. Its arguments would show every user of this machine the
  /// password in the address of a proxy.
  var variables: [String] {
    var values = environment.filter { name, _ in SandboxVariables.passes(name) }
    values.merge(display.variables(runtimeFolder)) { $1 }
    values.merge([
      "HOME": home, "XDG_RUNTIME_DIR": runtimeFolder, "PATH": "/usr/bin:/bin",
      "XDG_DATA_HOME": Self.grandparent(of: folders.profile), "XDG_STATE_HOME": Self.grandparent(of: folders.state),
      "XDG_CACHE_HOME": folders.profile + "/cache", "XDG_CONFIG_HOME": home + "/.config",
      // No bus is there to ask.
      "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local", "GIO_USE_VOLUME_MONITOR": "unix", "GTK_A11Y": "none",
    ]) { $1 }
    return values.map { "\($0.key)=\($0.value)" }.sorted()
  }

  /// The folder to which `PassageFolders` adds two names.
  private static func grandparent(of path: String) -> String {
    let parts = path.split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/")
  }
}

/// The variables of the environment that the sandbox has: those of the language, of drawing, of proxies, and for finding
/// errors. Others may hold secrets of the host program or lead to its sockets.
enum SandboxVariables {
  static func passes(_ name: String) -> Bool {
    names.contains(name) || prefixes.contains(where: name.hasPrefix)
  }

  private static let names: Set<String> = [
    "GDK_BACKEND", "GDK_DPI_SCALE", "GDK_RENDERING", "GDK_SCALE", "GSK_RENDERER", "GTK_THEME", "G_DEBUG", "LANG",
    "LANGUAGE",
    "LIBGL_ALWAYS_SOFTWARE", "SWIFT_BACKTRACE", "TZ", "WEBKIT_DISABLE_COMPOSITING_MODE",
    "WEBKIT_DISABLE_DMABUF_RENDERER", "XCURSOR_SIZE", "XCURSOR_THEME", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE",
    "all_proxy", "ftp_proxy", "http_proxy", "https_proxy", "no_proxy", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY",
    "NO_PROXY",
  ]
  private static let prefixes = ["LC_"]
}
