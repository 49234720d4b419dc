/** How often a server that stops by itself is started again. Knows nothing of VS Code. */

/** How many restarts are allowed within `span` milliseconds. A server that stops more often will stop again. */
const allowed = 4;
const span = 180_000;

/** Counts restarts, and says when there were too many. */
export class RestartLimit {
  #restarts: number[] = [];

  /** Whether the server may be started once more at this time; counts it if so. */
  allows(now: number): boolean {
    this.#restarts = this.#restarts.filter((time) => now - time < span);
    if (this.#restarts.length >= allowed) {
      return false;
    }
    this.#restarts.push(now);
    return true;
  }

  /** Forgets the past: somebody has asked for a restart. */
  reset(): void {
    this.#restarts = [];
  }
}
