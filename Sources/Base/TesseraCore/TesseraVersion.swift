/// The version of the library and of the program `tessera` (https://semver.org).
public enum TesseraVersion {
  public static let current = "0.1.0"
}
