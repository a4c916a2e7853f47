import { getContext, setContext } from "svelte";

import type { Dashboard } from "./dashboard.svelte";

const KEY = Symbol("dashboard");

export const setDashboard = (dashboard: Dashboard): Dashboard => setContext(KEY, dashboard);
export const getDashboard = (): Dashboard => getContext<Dashboard>(KEY);
