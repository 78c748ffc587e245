import Service
import Testing
