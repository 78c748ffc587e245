@main
enum Scenarios {
  static func main() {}
}
