/// The configuration of a private system bus on which every program may own every name.
public enum SystemBusConfiguration {
  /// - Parameters:
  ///   - socket: The path of the bus's socket.
  ///   - services: The folder of the services that the bus can start; nil for none.
  public static func text(socket: String, services: String? = nil) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>system</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
      <policy context="default">
        <allow user="*"/>
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>

    """
  }
}
