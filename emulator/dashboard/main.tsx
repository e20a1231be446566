/** The beginning of the dashboard in a browser. */
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";
import "./styles/job.css";
import "./styles/jobs.css";
import "./styles/records.css";
import "./styles/workers.css";
import "./styles/webhooks.css";
import "./styles/clock.css";
import "./styles/overview.css";
import "./styles/lanes.css";
import "./styles/endpoint.css";
import "./styles/plot.css";
import { render } from "preact";
import { openSession } from "./service/session.ts";
import { App } from "./shell/app.tsx";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
const place = document.querySelector("#app");
if (place !== null) render(<App />, place);
await openSession();
