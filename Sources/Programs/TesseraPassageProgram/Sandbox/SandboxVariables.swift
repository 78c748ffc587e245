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
