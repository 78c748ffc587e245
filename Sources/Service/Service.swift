/// The daemon.
public enum Service {}
